import { check } from './check.js';
import { blockDatagramPort, isListening } from './raw-client.js';
import { hasConnections, hasDatagrams, timeoutOf, type Subject } from './stage.js';

/** Checks that nothing listens on a port of 127.0.0.1 in a way that the kind would. */
export async function checkFree(subject: Subject, port: number): Promise<void> {
  if (hasConnections(subject)) {
    const isTaken = await isListening({ host: '127.0.0.1', port }, timeoutOf(subject.probe));
    check(!isTaken, `port ${port} still takes connections, want it free`);
  }
  if (hasDatagrams(subject)) {
    try {
      await (await blockDatagramPort(port)).release();
    } catch {
      check(false, `port ${port} still takes datagrams, want it free`);
    }
  }
}
