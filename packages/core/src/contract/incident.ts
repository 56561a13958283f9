import { Type, type TOptional, type TString } from '@sinclair/typebox';
import type { Json } from './json.js';
import type { TObject, ValueOf } from './shape.js';
import type { Farewell } from './service.js';
import type { NewToxic } from './toxics.js';

/** A part of an incident: what is wrong with its kind for a while. */
export interface IncidentStage {
  /** How long it lasts, a duration of at least 100 ms; to the end of the incident when absent. */
  readonly lasts?: string;
  /** The fault of the kind meanwhile, in place of every other one. */
  readonly fault?: Json;
  /** Toxics of the kind meanwhile, beside others. */
  readonly toxics?: readonly NewToxic[];
  /** How the open connections of the kind are closed when it begins; they stay open when absent. */
  readonly close?: Farewell;
}

/** Where the clients of a kind find it while an incident runs. */
export interface IncidentPlace {
  /** The url by which clients on this machine connect. */
  readonly url: string;
}

/** Trouble that servers of a protocol are known for, as a course of faults and toxics. */
export interface IncidentDeclaration {
  /** What happens, in one or two sentences. */
  readonly summary: string;
  /** What a good client does, in one or two sentences. */
  readonly advice: string;
  /** How long it lasts unless somebody says it, such as `30s`. */
  readonly lasts: string;
  /** The schema of what can be said of it; all fields are optional. `for` is core's own. */
  readonly fields?: TObject;
  /** Whether the first stage follows the last. */
  readonly repeats?: boolean;
  /**
   * Its stages, at least one.
   *
   * @param fields - what was said, which has passed the schema
   * @throws BacklotError `invalid` for what a schema cannot check
   */
  stages(fields: Json, place: IncidentPlace): readonly IncidentStage[];
}

/** An {@link IncidentDeclaration} whose `stages` knows the types of its fields. */
export function defineIncident<Fields extends TObject = TObject>(
  declaration: Omit<IncidentDeclaration, 'fields' | 'stages'> & {
    readonly fields?: Fields;
    readonly stages: (fields: ValueOf<Fields>, place: IncidentPlace) => readonly IncidentStage[];
  },
): IncidentDeclaration {
  return declaration;
}

/**
 * A field of an incident that is a duration.
 *
 * @param usual - what it is when nothing is said, such as `5s`; `stages` fills it in
 * @param description - what lasts so long, without a full stop
 */
export function lastsField(usual: string, description: string): TOptional<TString> {
  return Type.Optional(
    Type.String({ default: usual, description: `${description}, a duration of at least 100 ms.` }),
  );
}

/** What was said of an incident that runs. */
export interface RunningIncident {
  readonly fields: Json;
  readonly began_at: string;
  readonly ends_at: string;
  /** The number of its stage by kind, from 1; 0 once the stages are over. */
  readonly stages: Readonly<Record<string, number>>;
}

/** An incident as it is shown. */
export interface IncidentView {
  readonly name: string;
  /** The kinds that it befalls. */
  readonly protocols: readonly string[];
  readonly summary: string;
  readonly advice: string;
  readonly lasts: string;
  /** The JSON schema of what can be said of it. */
  readonly fields: Json;
  /** Absent while it does not run. */
  readonly running?: RunningIncident;
}

/** The incidents of a host. Methods that take a name throw `not_found` when there is none. */
export interface IncidentCollection {
  list(): readonly IncidentView[];
  get(name: string): IncidentView;
  /**
   * Begins one, anew when it runs. It ends by itself, by the clock of the host.
   *
   * @param given - `for`, how long, and the fields of the incident
   * @throws BacklotError `invalid` with a problem per field; `not_enabled` for a kind that does not run; `conflict` where
   * there is no TLS for an incident of TLS
   */
  start(name: string, given?: Json): Promise<IncidentView>;
  /**
   * Puts one back that ran elsewhere: it is where it was there.
   *
   * @param given - as {@link start} takes it; `for` is its whole time
   * @param elapsed - the milliseconds for which it has run, fewer than that
   * @throws BacklotError as {@link start}
   */
  recall(name: string, given: Json, elapsed: number): Promise<IncidentView>;
  /** Ends one; does nothing when it does not run. */
  stop(name: string): IncidentView;
  stopAll(): void;
}
