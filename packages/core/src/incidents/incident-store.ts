import type { StoredFault, Json } from '../contract/given.js';
import type {
  IncidentCollection,
  IncidentDeclaration,
  IncidentStage,
  IncidentView,
} from '../contract/incident.js';
import { mayUseTls } from '../contract/whole-schemas.js';
import type { Log } from '../contract/log.js';
import type { StoredToxic } from '../contract/toxics.js';
import { BacklotError, invalid, problemsIn, type Problem } from '../errors.js';
import type { FaultStore } from '../faults/fault-store.js';
import type { KindHost } from '../host/kind-host.js';
import type { Clock, Waiting } from '../time/clock.js';
import { parseDuration } from '../time/duration.js';
import type { ToxicStore } from '../toxics/toxic-store.js';
import { show } from '../validation/messages.js';
import { frozenCopy } from '../validation/freeze.js';
import { createValidator } from '../validation/validator.js';
import { checkStages } from './check-stages.js';
import { IncidentRun, type Course } from './incident-run.js';
import { incidentsOf, TLS_INCIDENTS } from './incidents-of.js';
import { givenSchemaOf, runningViewOf, type ShownRun } from './incident-view.js';

/** What the incidents of a host act on. */
export interface IncidentParts {
  readonly kinds: readonly KindHost[];
  readonly faults: FaultStore;
  readonly toxics: ToxicStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** A stage that a kind is in now. */
export interface StageOfKind {
  /** The name of the incident. */
  readonly name: string;
  readonly kind: string;
  readonly stage: IncidentStage;
}

interface Incident {
  readonly name: string;
  readonly declaration: IncidentDeclaration;
  /** Of a kind: that; of TLS: all that may use it. */
  readonly kinds: readonly KindHost[];
  readonly isOfTls: boolean;
}

interface Running extends ShownRun {
  readonly end: Waiting;
  /** Who has begun it. */
  readonly owner: object;
}

/** The incidents that the kinds of a host declare, and those that run. */
export class IncidentStore implements IncidentCollection {
  readonly #parts: IncidentParts;
  /** By name, in the order in which they began. */
  readonly #running = new Map<string, Running>();
  /** Who has asked for one last, while its kinds are made ready. */
  readonly #asked = new Map<string, object>();

  constructor(parts: IncidentParts) {
    this.#parts = parts;
    const { faults, toxics } = parts;
    faults.incidentOf = (kind) => this.#faultOf(kind);
    const others = toxics.overlays;
    toxics.overlays = (kind) => [...others(kind), ...this.#toxicsOf(kind)];
  }

  list(): readonly IncidentView[] {
    return this.#all().map((incident) => this.#view(incident));
  }

  get(name: string): IncidentView {
    return this.#view(this.#find(name));
  }

  /** What is wrong with an incident that is to begin, or, without what is given, with its name; the path of that is empty. */
  problemsWith(name: string, given?: Json): readonly Problem[] {
    try {
      const incident = this.#find(name);
      // The fields of a kind that nobody uses are not known yet; it cannot begin there.
      const isKnown = incident.kinds.some(({ protocol }) => protocol.load === undefined);
      if (given !== undefined && isKnown)
        this.#check(incident, given, (given['for'] ?? incident.declaration.lasts) as string);
      return [];
    } catch (thrown) {
      return problemsIn(thrown, '');
    }
  }

  /** @param owner - who begins it, for {@link stopOf} */
  start(name: string, given: Json = {}, owner: object = {}): Promise<IncidentView> {
    return this.#start(name, given, owner, 0);
  }

  recall(name: string, given: Json, elapsed: number): Promise<IncidentView> {
    return this.#start(name, given, {}, elapsed);
  }

  async #start(name: string, given: Json, owner: object, elapsed: number): Promise<IncidentView> {
    const incident = this.#find(name);
    this.#asked.set(name, owner);
    let kinds: readonly KindHost[];
    let isWanted: boolean;
    try {
      kinds = await this.#readyKinds(incident, given);
    } finally {
      isWanted = this.#asked.get(name) === owner;
      if (isWanted) this.#asked.delete(name);
    }
    // It was stopped, or asked for anew, before it could begin.
    if (!isWanted) return this.#view(incident);
    const { for: lasts = incident.declaration.lasts, ...fields } = given;
    const time = this.#check(incident, given, lasts as string);
    const courses = kinds.map((kind) => this.#courseOf(incident, kind, fields));
    this.#end(name);
    const { clock, log } = this.#parts;
    const runs = courses.map((course) => new IncidentRun(course, clock, (run) => this.#entered(run)));
    const end = clock.after(time - elapsed, () => {
      this.#end(name);
      log.info(`${name} is over`);
    });
    const beganAt = clock.now() - elapsed;
    const kept = frozenCopy(fields) as Json;
    this.#running.set(name, { fields: kept, beganAt, endsAt: beganAt + time, runs, end, owner });
    for (const run of runs) run.begin(elapsed);
    log.info(`${name} begins, for ${String(lasts)}`);
    return this.#view(incident);
  }

  stop(name: string): IncidentView {
    const incident = this.#find(name);
    this.#asked.delete(name);
    this.#end(name);
    return this.#view(incident);
  }

  /** Ends an incident, or keeps it from beginning, unless somebody else has begun it since. */
  stopOf(name: string, owner: object): void {
    if (this.#asked.get(name) === owner) this.#asked.delete(name);
    if (this.#running.get(name)?.owner === owner) this.#end(name);
  }

  stopAll(): void {
    this.#asked.clear();
    for (const name of [...this.#running.keys()]) this.#end(name);
  }

  /** The stages that kinds are in now, those of the incident that began last at the end. */
  stages(): readonly StageOfKind[] {
    return Array.from(this.#running).flatMap(([name, { runs }]) =>
      runs.flatMap(({ kind: { kind }, stage }) => (stage === undefined ? [] : [{ name, kind, stage }])),
    );
  }

  #end(name: string): void {
    const running = this.#running.get(name);
    if (running === undefined) return;
    this.#running.delete(name);
    running.end.cancel();
    for (const run of running.runs) {
      run.cancel();
      this.#refresh(run.kind);
    }
  }

  #entered(run: IncidentRun): void {
    this.#refresh(run.kind);
    const how = run.stage?.close;
    if (how !== undefined) run.kind.connections.close({}, how);
  }

  #refresh({ kind }: KindHost): void {
    this.#parts.faults.refresh(kind);
    this.#parts.toxics.refresh(kind);
  }

  /** The kinds that it is to befall, running. @throws BacklotError */
  async #readyKinds({ kinds, isOfTls, name }: Incident, { protocols }: Json): Promise<readonly KindHost[]> {
    if (!isOfTls) {
      for (const kind of kinds) {
        if (!kind.enabled) throw new BacklotError('not_enabled', `${kind.kind} protocol not enabled`);
        await kind.wake();
      }
      return kinds;
    }
    const named = Array.isArray(protocols) ? (protocols as unknown[]) : undefined;
    const able = kinds.filter(
      ({ enabled, config }) => enabled && config.tls !== undefined && config.tls.enabled !== false,
    );
    const wrong = (named ?? []).filter((one) => !able.some(({ kind }) => kind === one));
    const names = able.map(({ kind }) => kind).join(', ') || 'none';
    if (wrong.length > 0)
      throw new BacklotError(
        'conflict',
        `${name}: ${wrong.map((one) => show(one)).join(', ')} has no TLS here; protocols with tls: ${names}`,
      );
    if (able.length === 0)
      throw new BacklotError(
        'conflict',
        `${name}: no protocol has TLS here; give one a "tls" in its settings`,
      );
    const meant = able.filter(({ kind }) => named?.includes(kind) !== false);
    for (const kind of meant) await kind.wake();
    return meant;
  }

  /** @returns how long it is to last, in milliseconds. @throws BacklotError `invalid` */
  #check({ name, declaration }: Incident, given: Json, lasts: string): number {
    const problems: Problem[] = [...createValidator(givenSchemaOf(declaration)).check(given)];
    let time = 0;
    if (problems.length === 0) {
      try {
        time = parseDuration(lasts);
        if (time <= 0) problems.push({ path: '/for', message: `must be more than 0, got ${show(lasts)}` });
      } catch (thrown) {
        problems.push(...problemsIn(thrown, '/for'));
      }
    }
    refuse(name, problems);
    return time;
  }

  #courseOf({ name, declaration }: Incident, kind: KindHost, fields: Json): Course {
    let stages: Course['stages'];
    try {
      stages = frozenCopy(declaration.stages(fields, { url: kind.url ?? '' }));
    } catch (thrown) {
      throw invalid(`incident ${name}: ${problemsIn(thrown, '')[0]?.message ?? ''}`, problemsIn(thrown, ''));
    }
    refuse(name, checkStages(kind, stages, this.#parts));
    return { kind, stages, repeats: declaration.repeats === true };
  }

  /** The fault of the incident that has begun last, of those that have one now. */
  #faultOf(kind: string): StoredFault | undefined {
    let found: StoredFault | undefined;
    for (const { stage } of this.#runsOf(kind)) found = stage?.fault ?? found;
    return found;
  }

  #toxicsOf(kind: string): readonly StoredToxic[] {
    if (this.#running.size === 0) return [];
    return this.#runsOf(kind).flatMap(({ stage }) => this.#parts.toxics.completed(kind, stage?.toxics ?? []));
  }

  #runsOf(kind: string): readonly IncidentRun[] {
    if (this.#running.size === 0) return [];
    return [...this.#running.values()].flatMap(({ runs }) => runs.filter((run) => run.kind.kind === kind));
  }

  #all(): readonly Incident[] {
    const { kinds } = this.#parts;
    const own = kinds.flatMap((kind) =>
      incidentsOf(kind.protocol).map(([name, declaration]) => ({
        ...{ name, declaration, kinds: [kind], isOfTls: false },
      })),
    );
    const withTls = kinds.filter(({ protocol }) => mayUseTls(protocol));
    if (withTls.length === 0) return own;
    const ofTls = Object.entries(TLS_INCIDENTS).map(([name, declaration]) => ({
      ...{ name, declaration, kinds: withTls, isOfTls: true },
    }));
    return [...own, ...ofTls];
  }

  #find(name: string): Incident {
    const all = this.#all();
    const found = all.find((incident) => incident.name === name);
    if (found !== undefined) return found;
    const names = all.map((incident) => incident.name).join(', ') || 'none';
    throw new BacklotError('not_found', `no incident ${show(name)}; there are ${names}`);
  }

  #view({ name, declaration, kinds }: Incident): IncidentView {
    const { summary, advice, lasts } = declaration;
    const running = this.#running.get(name);
    return {
      ...{ name, protocols: kinds.map(({ kind }) => kind), summary, advice, lasts },
      fields: givenSchemaOf(declaration),
      ...(running === undefined ? {} : { running: runningViewOf(running) }),
    };
  }
}

function refuse(name: string, problems: readonly Problem[]): void {
  const [first] = problems;
  if (first !== undefined) throw invalid(`incident ${name}${first.path}: ${first.message}`, problems);
}
