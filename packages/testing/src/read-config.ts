import { BacklotError, type Host, type HostOptions, type Protocol } from '@backlot/core';

/** What is used of the package `backlot`. */
interface Backlot {
  readonly readHost: (
    sources: { readonly config: string | undefined; readonly services: readonly string[] | undefined },
    overrides: { readonly freePorts: boolean },
  ) => Promise<ReadHost>;
}

/** What the package `backlot` reads. */
interface ReadHost {
  readonly options: HostOptions;
  readonly variablesOf: (host: Host) => Record<string, string>;
}

/** The options of a host, and the variables of its services once it has started. */
export interface CompletedOptions<P extends readonly Protocol[]> {
  readonly options: HostOptions<P>;
  readonly variablesOf: (host: Host) => Record<string, string>;
}

/** The options of Backlot with those of its configuration file and of its services, if there are any. */
export async function withConfig<P extends readonly Protocol[]>({
  config,
  services,
  protocols,
  settings,
  ...given
}: Omit<HostOptions<P>, 'protocols'> & {
  readonly config?: string;
  readonly services?: readonly string[];
  readonly protocols?: P;
}): Promise<CompletedOptions<P>> {
  if (config === undefined && services === undefined) {
    if (protocols !== undefined) {
      return {
        options: { ...given, protocols, ...(settings === undefined ? {} : { settings }) },
        variablesOf: () => ({}),
      };
    }
    throw new BacklotError(
      'invalid',
      'a Backlot needs `protocols`, as in `protocols: [http]`, the name of a configuration file as `config`, or `services`',
    );
  }
  const { options: fromFile, variablesOf } = await readSources(config, services);
  const own = new Map((protocols ?? []).map((protocol) => [protocol.kind, protocol]));
  const others = fromFile.protocols.filter(({ kind }) => !own.has(kind));
  const blocks = new Map(Object.entries((fromFile.settings ?? {}) as Blocks));
  for (const kind of own.keys()) {
    // So the command leaves out a protocol that is installed and that the file does not name.
    if (isOnlyOff(blocks.get(kind))) blocks.delete(kind);
  }
  for (const [kind, block] of Object.entries((settings ?? {}) as Blocks))
    blocks.set(kind, { ...blocks.get(kind), ...block });
  const options = {
    ...fromFile,
    ...given,
    protocols: [...own.values(), ...others],
    settings: Object.fromEntries(blocks),
  } as unknown as HostOptions<P>;
  return { options, variablesOf };
}

/** Settings by kind. */
type Blocks = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

function isOnlyOff(block: Blocks[string]): boolean {
  return block !== undefined && Object.keys(block).length === 1 && block['enabled'] === false;
}

async function readSources(
  config: string | undefined,
  services: readonly string[] | undefined,
): Promise<ReadHost> {
  const { readHost } = await loadBacklot();
  try {
    return await readHost({ config, services }, { freePorts: true });
  } catch (thrown) {
    // It may come from another realm, as modules of jest are.
    throw new BacklotError('invalid', String((thrown as { message?: unknown }).message ?? thrown), {
      cause: thrown,
    });
  }
}

/** Loaded when it is first needed: only tests with a configuration file or services have it installed. */
async function loadBacklot(): Promise<Backlot> {
  try {
    return await import('backlot');
  } catch (thrown) {
    const { code, message } = thrown as { readonly code?: unknown; readonly message?: unknown };
    const isAbsent = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
    const why = String(message ?? thrown).split('\n', 1)[0] ?? '';
    const remedy = isAbsent
      ? 'install it with `npm install --save-dev backlot`'
      : 'it is an ES module: jest loads such for test files that are ES modules, with `node --experimental-vm-modules`, and for others on Node.js 24.9 or later';
    throw new BacklotError(
      'invalid',
      `configuration files and services are read by the package "backlot", which could not be loaded (${why}); ${remedy}`,
      { cause: thrown },
    );
  }
}
