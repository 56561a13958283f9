import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';

/** So long a server has for what it does once, and for being compiled, before it is looked at. */
const WARM_UP = 1500;

/**
 * Has a profile of the processor time of this process written when it is told to end.
 *
 * @param {string} path
 */
export function profileInto(path) {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: 500 });
  setTimeout(() => session.post('Profiler.start'), WARM_UP).unref();
  const end = () => {
    session.post('Profiler.stop', (error, result) => {
      if (error === null) writeFileSync(path, JSON.stringify(result.profile));
      process.exit(0);
    });
  };
  process.once('SIGTERM', end).once('disconnect', end);
}
