import type { TlsFault } from './certificate.js';
import type { Admission } from './stream-options.js';

/** The faults of new connections, as a protocol's context has them. */
export interface ConnectFaults {
  rollForConnection(): { readonly delay: number; readonly refuse: boolean } | undefined;
  /** What is wrong with the certificate that TLS handshakes show now. */
  readonly tls?: TlsFault | undefined;
}

/** Virtual time, as a protocol's context has it. */
export interface DelayClock {
  after(milliseconds: number, callback: () => void): unknown;
}

/**
 * Makes the option `admit` of a stream server, which applies the kind's faults of phase `connect`: the fault is rolled
 * for each new connection, which then waits for the fault's delay by the virtual clock, and is reset when the fault
 * fires.
 */
export function admitBy(faults: ConnectFaults, clock: DelayClock): () => Admission | undefined {
  return () => {
    const fault = faults.rollForConnection();
    if (fault === undefined) return undefined;
    const { delay, refuse: reset } = fault;
    if (delay === 0) return { reset };
    return { reset, delay: new Promise((resolve) => void clock.after(delay, resolve)) };
  };
}
