/** Starts it, see the module. */
export function startApplication(url: string): Promise<{ readonly url: string; close(): Promise<unknown> }>;
