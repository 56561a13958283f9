/** Starts it, see the module. */
export function startApplication(
  issuer: string,
  clientID: string,
): Promise<{ readonly url: string; close(): Promise<unknown> }>;
