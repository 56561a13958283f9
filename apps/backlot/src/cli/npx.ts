const CHECK_MS = 250;

/**
 * Ends this process by SIGTERM when npx has started it and is gone: npx passes a signal on to the shell between the two,
 * and that shell dies of it without telling anybody.
 */
export function stopWithNpx(): void {
  const { npm_lifecycle_event: event, npm_lifecycle_script: script } = process.env;
  // What a program runs that npx has started inherits the variables, but has another parent.
  if (event !== 'npx' || script?.includes('backlot') !== true) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, CHECK_MS);
  timer.unref();
}
