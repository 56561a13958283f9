import { isBacklotError, reachableHost, type Host, type Kind, type StoredToxic } from '@backlot/core';
import { formatAddress } from '@backlot/kit';

/** The toxic by which a proxy is disabled; it is not shown among the toxics of its proxy. */
const DISABLED = 'toxiproxy-disabled';

/** An error as Toxiproxy answers it. */
export class ToxiproxyError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** A kind as a proxy of Toxiproxy. */
export interface ProxyView {
  readonly name: string;
  readonly listen: string;
  readonly upstream: string;
  readonly enabled: boolean;
  readonly toxics: readonly StoredToxic[];
}

type Fields = Readonly<Record<string, unknown>>;

/** The kinds of a host as proxies of Toxiproxy: one for each that listens itself. */
export class Proxies {
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  all(): Readonly<Record<string, ProxyView>> {
    return Object.fromEntries(this.#kinds().map((kind) => [kind.kind, view(kind)]));
  }

  get(name: string): ProxyView {
    return view(this.#kindOf(name));
  }

  /** A proxy of a kind's name is there already: it is given, and switched as the body says. */
  create(body: unknown): ProxyView {
    const fields = fieldsOf(body);
    const { name } = fields;
    if (typeof name !== 'string' || name === '')
      throw new ToxiproxyError(400, 'missing required field: name');
    const kind = this.#kinds().find((each) => each.kind === name);
    if (kind === undefined)
      throw new ToxiproxyError(
        400,
        `Backlot makes no proxies, each of its protocols is one: ${this.#names()}`,
      );
    return change(kind, { enabled: true, ...fields });
  }

  update(name: string, body: unknown): ProxyView {
    return change(this.#kindOf(name), fieldsOf(body));
  }

  /** Takes its toxics away; the proxy itself is there as long as its kind is. */
  remove(name: string): void {
    this.#kindOf(name).toxics.clear();
  }

  populate(body: unknown): readonly ProxyView[] {
    if (!Array.isArray(body)) throw new ToxiproxyError(400, 'bad request body: must be a list of proxies');
    return body.map((each) => this.create(each));
  }

  reset(): void {
    for (const kind of this.#kinds()) kind.toxics.clear();
  }

  toxics(name: string): readonly StoredToxic[] {
    return shown(this.#kindOf(name));
  }

  toxic(name: string, toxic: string): StoredToxic {
    const found = shown(this.#kindOf(name)).find((each) => each.name === toxic);
    if (found === undefined) throw new ToxiproxyError(404, 'toxic not found');
    return found;
  }

  addToxic(name: string, body: unknown): StoredToxic {
    const kind = this.#kindOf(name);
    const given = toxicOf(body);
    if (given['name'] === DISABLED) throw new ToxiproxyError(400, `the name ${DISABLED} is reserved`);
    return translated(() => kind.toxics.add(given));
  }

  /** Changes what is given of a toxic; the rest stays. */
  updateToxic(name: string, toxic: string, body: unknown): StoredToxic {
    const { expires_at: _, ...before } = this.toxic(name, toxic);
    const fields = toxicOf(body);
    const attributes = { ...before.attributes, ...((fields['attributes'] ?? {}) as Fields) };
    const { toxicity = before.toxicity } = fields;
    return translated(() => this.#kindOf(name).toxics.replace(toxic, { ...before, toxicity, attributes }));
  }

  removeToxic(name: string, toxic: string): void {
    this.toxic(name, toxic);
    this.#kindOf(name).toxics.remove(toxic);
  }

  #kinds(): readonly Kind[] {
    return this.#host.kinds.filter(
      ({ address, toxics }) => address !== undefined && toxics.refusal === undefined,
    );
  }

  #kindOf(name: string): Kind {
    const kind = this.#kinds().find((each) => each.kind === name);
    if (kind === undefined) throw new ToxiproxyError(404, `proxy not found; there are ${this.#names()}`);
    return kind;
  }

  #names(): string {
    return this.#kinds()
      .map(({ kind }) => kind)
      .join(', ');
  }
}

function isEnabled({ toxics }: Kind): boolean {
  return !toxics.list().some(({ name }) => name === DISABLED);
}

function shown({ toxics }: Kind): readonly StoredToxic[] {
  return toxics.list().filter(({ name }) => name !== DISABLED);
}

function listenOf({ address }: Kind): string {
  const { host, port } = address ?? { host: '', port: 0 };
  return formatAddress(reachableHost(host), port);
}

function view(kind: Kind): ProxyView {
  const listen = listenOf(kind);
  return { name: kind.kind, listen, upstream: listen, enabled: isEnabled(kind), toxics: shown(kind) };
}

/** Switches a proxy; where it listens is the kind's own matter. */
function change(kind: Kind, { listen, enabled }: Fields): ProxyView {
  const port = Number(/:(\d+)$/.exec(typeof listen === 'string' ? listen : '')?.[1] ?? 0);
  if (port !== 0 && port !== kind.address?.port)
    throw new ToxiproxyError(
      400,
      `${kind.kind} listens on ${listenOf(kind)} and not on port ${port}; leave listen out, or give port 0`,
    );
  if (enabled !== undefined && typeof enabled !== 'boolean')
    throw new ToxiproxyError(400, 'bad request body: enabled must be true or false');
  if (enabled === false && isEnabled(kind)) {
    // Of connections both directions are down in any case.
    translated(() => kind.toxics.add({ name: DISABLED, type: 'down', stream: 'upstream' }));
  } else if (enabled === true && !isEnabled(kind)) kind.toxics.remove(DISABLED);
  return view(kind);
}

function fieldsOf(body: unknown): Fields {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Fields;
  throw new ToxiproxyError(400, 'bad request body: must be an object');
}

/** A toxic as clients of Toxiproxy send it: with empty texts, and null, for what they leave out. */
function toxicOf(body: unknown): Fields {
  const given = Object.entries(fieldsOf(body)).filter(([, value]) => value !== '' && value !== null);
  return Object.fromEntries(given);
}

function translated<T>(run: () => T): T {
  try {
    return run();
  } catch (thrown) {
    if (!isBacklotError(thrown)) throw thrown;
    throw new ToxiproxyError(thrown.status, thrown.message);
  }
}
