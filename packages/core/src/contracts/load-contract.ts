import type { ContractMode } from '../contract/contracts.js';
import type { Protocol } from '../contract/protocol.js';
import { invalid, problemsIn, type Problem } from '../errors.js';
import { KindContract } from './kind-contract.js';

/** A kind whose settings may name a contract. */
interface ContractedKind {
  readonly kind: string;
  readonly enabled: boolean;
  readonly protocol: Protocol;
  readonly config: Readonly<Record<string, unknown>>;
  readonly problems: readonly Problem[];
  contract: KindContract | undefined;
}

/**
 * Reads the contracts that the settings of kinds name.
 *
 * @returns what is wrong with them
 */
export async function loadContracts(
  kinds: readonly ContractedKind[],
  seed: number,
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  for (const each of kinds) {
    const { contracts } = each.protocol;
    // Settings that are not as their schema says have no contract that could be read.
    if (contracts === undefined || !each.enabled || each.problems.length > 0) continue;
    const given = each.config['contract'] as { file: string; mode?: ContractMode } | undefined;
    const mode = given?.mode ?? 'enforce';
    if (given === undefined || mode === 'off') continue;
    if (each.config['upstream'] !== undefined && contracts.besideUpstream !== true) {
      const message = `${each.kind} holds no message to a contract that its upstream may answer; give one of both, or contract: { mode: off }`;
      problems.push({ path: `/settings/${each.kind}/contract`, message });
      continue;
    }
    try {
      const loaded = await contracts.load({ file: given.file, seed, config: each.config });
      each.contract = new KindContract(each.kind, given.file, mode, loaded);
    } catch (thrown) {
      problems.push(...problemsIn(missingIn(thrown), `/settings/${each.kind}/contract/file`));
    }
  }
  return problems;
}

/** Says which package is to be installed where what reads contracts was left out. */
function missingIn(thrown: unknown): unknown {
  const { code, message } = thrown as NodeJS.ErrnoException;
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return thrown;
  const name = /Cannot find (?:package|module) '(@[^/']+\/[^/']+)'/.exec(message)?.[1];
  if (name === undefined) return thrown;
  return invalid(`contracts need ${name}, which is not installed; install it with "npm install ${name}"`);
}
