/** What fires when a fault says nothing of its own. */
export const DEFAULT_FAULT = { code: 'UNAVAILABLE', message: 'fault injected' } as const;
