import type { ServiceVariables } from './services.generated.js';

/** The name of a service that comes with Backlot, or the package or path of one of your own. */
export type ServiceName = keyof ServiceVariables | (string & {});

/** The environment variables of services by name; those of services of your own are not known here. */
export type VariablesOf<S extends readonly ServiceName[]> = {
  readonly [Name in ServiceVariables[Extract<S[number], keyof ServiceVariables>]]: string;
};
