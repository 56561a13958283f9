import { BacklotError, type HostOptions, type Protocol } from '@backlot/core';

/** What is used of the package `backlot`. */
interface Backlot {
  readonly readHostOptions: (
    file: string,
    overrides: { readonly freePorts: boolean },
  ) => Promise<HostOptions>;
}

/** The options of Backlot with those of its configuration file, if one is named. */
export async function withConfig<P extends readonly Protocol[]>({
  config,
  protocols,
  settings,
  ...given
}: Omit<HostOptions<P>, 'protocols'> & {
  readonly config?: string;
  readonly protocols?: P;
}): Promise<HostOptions<P>> {
  if (config === undefined) {
    if (protocols !== undefined)
      return { ...given, protocols, ...(settings === undefined ? {} : { settings }) };
    throw new BacklotError(
      'invalid',
      'a Backlot needs `protocols`, as in `protocols: [http]`, or the name of a configuration file as `config`',
    );
  }
  const fromFile = await readFile(config);
  const own = new Map((protocols ?? []).map((protocol) => [protocol.kind, protocol]));
  const others = fromFile.protocols.filter(({ kind }) => !own.has(kind));
  const blocks = new Map(Object.entries((fromFile.settings ?? {}) as Blocks));
  for (const kind of own.keys()) {
    // So the command leaves out a protocol that is installed and that the file does not name.
    if (isOnlyOff(blocks.get(kind))) blocks.delete(kind);
  }
  for (const [kind, block] of Object.entries((settings ?? {}) as Blocks))
    blocks.set(kind, { ...blocks.get(kind), ...block });
  return {
    ...fromFile,
    ...given,
    protocols: [...own.values(), ...others],
    settings: Object.fromEntries(blocks),
  } as unknown as HostOptions<P>;
}

/** Settings by kind. */
type Blocks = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

function isOnlyOff(block: Blocks[string]): boolean {
  return block !== undefined && Object.keys(block).length === 1 && block['enabled'] === false;
}

async function readFile(config: string): Promise<HostOptions> {
  const { readHostOptions } = await loadBacklot();
  try {
    return await readHostOptions(config, { freePorts: true });
  } catch (thrown) {
    // It may come from another realm, as modules of jest are.
    throw new BacklotError('invalid', String((thrown as { message?: unknown }).message ?? thrown), {
      cause: thrown,
    });
  }
}

/** Loaded when it is first needed: only tests with a configuration file have it installed. */
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
      `a configuration file is read by the package "backlot", which could not be loaded (${why}); ${remedy}`,
      { cause: thrown },
    );
  }
}
