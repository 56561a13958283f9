import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { processCertificate } from '@backlot/kit';
import type { Seen } from '../config/watch-files.js';
import { commonSettings, loadClusterPackage, refuseToxiproxy } from '../server/cluster.js';
import { wishForPlan } from '../server/host-options.js';
import type { ServerPlan } from '../server/plan.js';
import { PartlyTaken } from '../server/start-server.js';
import { CommandError } from './command-error.js';
import type { LoadedConfig } from './load-config.js';
import { flush, note, print } from './output.js';
import { Reload, type Taken } from './reload.js';
import type { ServerLog } from './server-log.js';
import type { StopSwitch } from './signals.js';
import type { Announcement, StartFlags } from './start.js';

/** The file that each worker runs. */
const WORKER = fileURLToPath(new URL('./worker.js', import.meta.url));
/** So much of the traffic may wait to be written, in bytes; what comes beyond it is left out, and counted. */
const MOST_WAITING = 1024 * 1024;

/** What starting workers takes. */
interface Together {
  readonly flags: StartFlags;
  readonly workers: number;
  readonly config: LoadedConfig;
  readonly seen: Seen;
  readonly load: () => Promise<LoadedConfig>;
  readonly log: ServerLog;
  readonly stopping: StopSwitch;
  readonly plan: ServerPlan;
  /** What a configuration makes of a server, with the flags over it. */
  readonly planOf: (config: LoadedConfig) => ServerPlan;
  readonly announce: (said: Announcement) => void;
  /** Says that others may use the management port. */
  readonly warnOfOthers: (plan: ServerPlan) => void;
}

/** What a worker is given. */
export interface GivenToWorker {
  readonly flags: StartFlags;
  /** By what it knows that it has read the same configuration as the others. */
  readonly settings: string;
}

/** Tells configurations apart. */
export function digestOf(plan: ServerPlan): string {
  return createHash('sha256')
    .update(JSON.stringify(commonSettings(plan)))
    .digest('hex');
}

/** What a worker says of a configuration that it was to take. */
export type ReloadTold =
  { readonly taken: Taken } | { readonly failed: readonly string[]; readonly isPartly: boolean };

/** `backlot start --workers`: starts the workers, says where they listen, and keeps them. */
export async function startTogether(together: Together): Promise<void> {
  const { flags, workers: count, config, seen, load, log, stopping, plan, planOf } = together;
  const { announce, warnOfOthers } = together;
  refuseToxiproxy(plan, 'worker');
  let settings = digestOf(plan);
  const { startWorkers } = await loadClusterPackage('--workers');
  const workers = await startWorkers({
    file: WORKER,
    count,
    given: (): GivenToWorker => ({ flags, settings }),
    common: () => {
      wishForPlan(plan);
      return processCertificate();
    },
    warn: (text) => log({ level: 'warn', kind: 'workers', text }),
    line: trafficLines(process.stdout),
    failed(error) {
      note(`error: ${error.message}`);
      void flush().then(() => process.exit(1));
    },
  });
  stopping.setServer(workers);
  if (config.files.length > 0) {
    const reload = new Reload({
      ...{ config, seen, log, load },
      take: async (other) => joined(await workers.reload(digestOf(planOf(other)) !== settings)),
      taken(other) {
        const next = planOf(other);
        settings = digestOf(next);
        warnOfOthers(next);
      },
    });
    stopping.setReload(() => void reload.now());
    if (flags.watch) reload.watch();
  }
  warnOfOthers(plan);
  announce(workers.told as Announcement);
}

/** What was done by all. @throws PartlyTaken, CommandError when one could not take it */
function joined(told: ReadonlyMap<number, unknown>): Taken {
  const all = Array.from(told.values(), (each) => each as ReloadTold);
  const failed = all.find((each) => 'failed' in each);
  if (failed !== undefined) {
    const text = failed.failed.join('; ');
    throw failed.isPartly ? new PartlyTaken('conflict', text) : new CommandError(text);
  }
  const [first] = all;
  return first !== undefined && 'taken' in first ? first.taken : { lines: [], atStart: [] };
}

/** Writes lines as long as they are read. */
function trafficLines(output: NodeJS.WriteStream): (text: string) => void {
  let missed = 0;
  output.on('drain', () => {
    if (missed > 0)
      note(`warning: ${missed} lines of traffic were left out: standard output is read too slowly`);
    missed = 0;
  });
  return (text) => {
    if (output.writableLength > MOST_WAITING) missed += 1;
    else print(text);
  };
}
