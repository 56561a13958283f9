import { readFileSync, readdirSync } from 'node:fs';

const TICK_MS = 250;
/** The part of a tick that a process may work while it only waits: timers, and this watch. */
const IDLE_PART = 0.02;
/** Milliseconds by which two readings of the time of others may be wrong. */
const STEPS_MS = 20;
/** How many times its limit something may work, in time of processors; what turns in circles ends here. */
const MAX_FACTOR = 20;

/**
 * Tells when nothing moves any more: neither this process nor one that it has started works. That a machine is busy
 * makes everything slower, so the time that something takes says little about whether it hangs.
 *
 * A tick that comes late counts as one: on a machine that is busy, or was asleep, nobody could have moved in it.
 *
 * @param {number} limit milliseconds
 * @param {(problem: string) => void} onStandstill called at most once
 * @param {number} most milliseconds of processor after which it counts as turning in circles
 * @returns {() => void} ends the watch
 */
export function watchForStandstill(limit, onStandstill, most = limit * MAX_FACTOR) {
  let still = 0;
  let worked = 0;
  let own = ownTime();
  let others = lookAtChildren();
  let last = performance.now();
  let quiet = { since: last, worked: 0 };
  const timer = setInterval(() => {
    const now = performance.now();
    const idle = (now - last) * IDLE_PART;
    let work = ownTime() - own;
    // The time of its own is exact, so that a little of it counts.
    const hasWorked = work > idle;
    if (!hasWorked) {
      const before = others.time;
      others = lookAtChildren();
      // A child that has ended has taken its time with it.
      work = Math.abs(others.time - before);
    }
    // The system counts the time of others in steps, so that little work looks like much in one tick and like none in the next.
    quiet.worked += work;
    if (hasWorked || quiet.worked > (now - quiet.since) * IDLE_PART + STEPS_MS) {
      still = 0;
      quiet = { since: now, worked: 0 };
    } else if (!others.areReady) {
      // One that would work is no sign of either: who only waits has its timers, which want the processor now and then.
      still += TICK_MS;
    }
    worked += work;
    own = ownTime();
    last = now;
    if (still < limit && worked < most) return;
    clearInterval(timer);
    onStandstill(
      still < limit
        ? `still running after ${seconds(worked)} of work`
        : `nothing has moved for ${seconds(still)}: neither this process nor one that it started has worked`,
    );
  }, TICK_MS);
  return () => clearInterval(timer);
}

/** @param {number} milliseconds */
function seconds(milliseconds) {
  return `${Math.round(milliseconds / 100) / 10} s`;
}

/** @returns {number} milliseconds that this process has worked, and those that it has started and that have ended */
export function workedTime() {
  return ownTime() + endedTime();
}

function endedTime() {
  try {
    return sumOf(fieldsOf('self').slice(13, 15));
  } catch {
    return 0;
  }
}

/** @returns {number} milliseconds that this process has worked */
function ownTime() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Milliseconds of a tick of Linux's process times. */
const JIFFY_MS = 10;

/**
 * All children of a process, and theirs; none where the system does not tell.
 *
 * @param {string} id of the process
 * @returns {{ time: number, areReady: boolean }} milliseconds that they have worked, and whether one of them would work
 *   if it got a processor, or waits for the disk
 */
function lookAtChildren(id = 'self') {
  let time = 0;
  let areReady = false;
  try {
    for (const thread of readdirSync(`/proc/${id}/task`)) {
      const children = readFileSync(`/proc/${id}/task/${thread}/children`, 'utf8');
      for (const child of children.split(' ').filter((name) => name !== '')) {
        const fields = fieldsOf(child);
        const below = lookAtChildren(child);
        time += below.time + sumOf(fields.slice(11, 15));
        areReady ||= below.areReady || fields[0] === 'R' || fields[0] === 'D';
      }
    }
  } catch {
    // It has ended, or there is no /proc.
  }
  return { time, areReady };
}

/**
 * What stands in a process's `stat` behind its name in parentheses, which may hold anything: the state and, as fields 14 to
 * 17 of the whole, utime, stime, cutime and cstime.
 *
 * @param {string} id of the process
 * @throws Error when it has ended, or there is no /proc
 */
function fieldsOf(id) {
  const stat = readFileSync(`/proc/${id}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/**
 * @param {readonly string[]} ticks
 * @returns {number} milliseconds
 */
function sumOf(ticks) {
  return ticks.reduce((sum, field) => sum + Number(field), 0) * JIFFY_MS;
}
