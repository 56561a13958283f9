const CHECK_MS = 250;

/**
 * Ends this process by SIGTERM when the shell between npm and it is gone: npm passes a signal on to that shell only,
 * and the shell dies of it without telling anybody. Does nothing when npm did not start the process, and nothing when
 * the process has been told to stop already.
 */
export function stopWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  let isWatching = false;
  const timer = setInterval(() => {
    // A listener of ours alone would switch off the default, which is to end.
    if (!isWatching && process.listenerCount('SIGTERM') > 0 && process.listenerCount('SIGINT') > 0) {
      isWatching = true;
      for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => clearInterval(timer));
    }
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, CHECK_MS);
  timer.unref();
}
