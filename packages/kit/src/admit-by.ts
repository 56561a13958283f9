import type { Admission } from './stream-options.js';

/** The faults of new connections, as a protocol's context has them. */
export interface ConnectFaults {
  onConnect(): { readonly delay: number; readonly refuse: boolean } | undefined;
}

/** Virtual time, as a protocol's context has it. */
export interface DelayClock {
  after(milliseconds: number, callback: () => void): unknown;
}

/**
 * The `admit` option of a stream server whose faults of phase `connect` come from the host: each new connection is
 * rolled for once, waits on the virtual clock, and is reset when the fault fires.
 */
export function admitBy(faults: ConnectFaults, clock: DelayClock): () => Admission | undefined {
  return () => {
    const fault = faults.onConnect();
    if (fault === undefined) return undefined;
    const { delay, refuse: reset } = fault;
    if (delay === 0) return { reset };
    return { reset, delay: new Promise((resolve) => void clock.after(delay, resolve)) };
  };
}
