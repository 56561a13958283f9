import { execFile, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterAll, it } from '@jest/globals';

/** What a command-line program has written, and its exit code. */
export interface ToolResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The system's Python, which has the modules that Debian installs; the first one in the path may be another. */
export const PYTHON = '/usr/bin/python3';
const PERL = '/usr/bin/perl';

/**
 * Declares a test that needs a program of the system, or a module of Debian's Python (`python3:websockets`) or Perl
 * (`perl:Net::SSLeay`), or a library of its Java (`java:jackson-databind`). Where one is not installed the test is skipped, with the tool in its name; when
 * `BACKLOT_REQUIRE_TOOLS` is 1, as CI sets it, the test fails there instead.
 *
 * @param tools - the names of the tools, with spaces between them
 * @param timeout - in ms; jest's own when absent
 */
export function itWithTool(tools: string, name: string, run: () => Promise<void>, timeout?: number): void {
  const missing = tools
    .split(' ')
    .filter((tool) => !isInstalled(tool))
    .join(', ');
  if (missing === '') it(name, run, timeout);
  else if (process.env['BACKLOT_REQUIRE_TOOLS'] === '1') {
    it(name, () => Promise.reject(new Error(`not installed: ${missing}`)));
  } else it.skip(`${name} (skipped: ${missing} not installed)`, run);
}

function isInstalled(tool: string): boolean {
  const [program = '', module] = tool.split(':');
  if (module === undefined) return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
  if (program === 'java') return existsSync(`/usr/share/java/${module}.jar`);
  const check =
    program === 'perl'
      ? spawnSync(PERL, ['-e', `use ${tool.slice('perl:'.length)}`])
      : spawnSync(PYTHON, ['-c', `import ${module}`]);
  return check.status === 0;
}

/** Options of {@link runTool}. */
export interface ToolOptions {
  /** The whole standard input of the program. */
  readonly input?: string | Uint8Array;
  readonly cwd?: string;
  /** Environment variables, in addition to those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

const running = new Set<ChildProcess>();

// What a test that has failed has left behind.
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Runs a program, and resolves when it has ended. How long it may stand still is the limit of the test; it is killed when
 * the tests of the file have ended.
 */
export function runTool(
  tool: string,
  args: readonly string[],
  { input, cwd, env }: ToolOptions = {},
): Promise<ToolResult> {
  return new Promise((resolve) => {
    const child = execFile(
      tool,
      args,
      { encoding: 'utf8', cwd, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 },
      (error, out, err) => {
        running.delete(child);
        resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : 1, out, err });
      },
    );
    running.add(child);
    // A program that ends without reading breaks the pipe; its code tells more.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

/** Milliseconds of work of this process, in which whoever is waited for gets the processor as often. */
const MOST_WORK = 60_000;

/** Turns of the event loop after which somebody else is waited for, who gets the processor sooner when nobody asks. */
const EAGER_TURNS = 50;

/** Milliseconds between two questions at most: rare enough to be no work, so that who waits for nothing stands still. */
const LONGEST_PAUSE = 20;

/** That of Node, also while a test has timers of its own. */
const startTimer = setTimeout;

/**
 * Resolves when the condition holds. It is asked after each turn of the event loop, and after pauses that grow once it
 * was asked in vain for a while: a program that is waited for would have to share the processor with the questions.
 *
 * @throws Error when it does not hold after a minute in which this process has worked, however long that takes on a
 *   machine that is busy. Where nothing works any more, the time-out of the test ends the wait.
 */
export async function eventually(condition: () => boolean): Promise<void> {
  const worked = (): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  const end = worked() + MOST_WORK;
  for (let turn = 0; !condition(); turn += 1) {
    if (worked() > end) throw new Error(`did not come true within a minute of work: ${condition.toString()}`);
    if (turn < EAGER_TURNS) await new Promise((resolve) => setImmediate(resolve));
    else await new Promise((resolve) => startTimer(resolve, Math.min(turn - EAGER_TURNS + 1, LONGEST_PAUSE)));
  }
}
