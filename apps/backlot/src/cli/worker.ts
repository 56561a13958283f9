import { shareCertificate, type KeyAndCertificate } from '@backlot/kit';
import { loadClusterPackage } from '../server/cluster.js';
import type { WorkerPlan } from '../server/plan.js';
import { PartlyTaken, startServer, type RunningServer } from '../server/start-server.js';
import { placesOf } from '../services/running.js';
import { readVersion } from '../version.js';
import { CommandError } from './command-error.js';
import { guardOutput, note } from './output.js';
import { linesOf, takeInto } from './reload.js';
import { logLines } from './server-log.js';
import { keepLiving } from './signals.js';
import { announcementOf, loadFor, planFor } from './start.js';
import { digestOf, type GivenToWorker, type ReloadTold } from './start-together.js';

/** What each of the processes does that `backlot start --workers` starts: it serves until it is told to stop. */
export async function runWorker(): Promise<void> {
  guardOutput();
  // The one that has started it hears of them, and says what to do.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined);
  const end = await (await loadClusterPackage('--workers')).connectWorker();
  let server: RunningServer | undefined;
  end.onStop(() => {
    if (server === undefined) process.exit(0);
    server.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        note(`error: ${error instanceof Error ? error.message : String(error)}`);
        process.exit(1);
      },
    );
  });
  try {
    const { flags, settings } = end.given as GivenToWorker;
    shareCertificate(() => end.common() as Promise<KeyAndCertificate>);
    const log = logLines(flags.isQuiet || end.slot > 1);
    keepLiving((text) => log({ level: 'error', kind: 'backlot', text }));
    const worker: WorkerPlan = { end };
    const config = await loadFor(flags);
    const plan = planFor(config, flags, worker);
    if (digestOf(plan) !== settings)
      throw new CommandError(
        'the configuration was changed and not taken yet: let all read it with SIGHUP, or put it back',
      );
    server = await startServer({ plan, protocols: config.protocols, version: readVersion(), log });
    const take = takeInto(server, (other) => planFor(other, flags, worker));
    const reload = async (): Promise<ReloadTold> => {
      try {
        return { taken: await take(await loadFor(flags)) };
      } catch (thrown) {
        return { failed: linesOf(thrown), isPartly: thrown instanceof PartlyTaken };
      }
    };
    worker.reload = async () => end.reloaded(await reload());
    if (worker.isOutdated === true) await reload();
    if (flags.log !== 'none') (await import('./traffic-log.js')).logTraffic(server.host, flags.log);
    end.ready(await announcementOf(server, flags, placesOf(config.services, server.host)));
  } catch (thrown) {
    await end.failed(thrown).catch(() => undefined);
    process.exit(1);
  }
}
