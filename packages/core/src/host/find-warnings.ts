import type { HostOptions } from '../contract/host.js';
import type { Problem } from '../errors.js';
import { findMissingMocks, suggestMock } from '../scenarios/missing-mocks.js';
import { runInSlices } from '../time/slices.js';
import { isObject, pointTo } from '../validation/pointer.js';
import { suggest } from '../validation/suggest.js';
import { findEmitWarnings } from './emit-warnings.js';
import { BacklotHost } from './host.js';

/**
 * What the options of a host may say and hardly mean, with JSON pointers into them: tags of templates that nobody knows and
 * that stay in the text, patches of scenarios whose mock is not there, collections that are called almost as one that is
 * declared, and what is emitted to nobody.
 *
 * @param options - without problems, see `checkSettings`
 */
export function findWarnings(options: HostOptions): readonly Problem[] {
  const host = new BacklotHost(silent(options));
  void host.stop(0);
  return warningsOf(host, options);
}

/** As {@link findWarnings}, with what mocks do that a contract does not allow which is not enforced; in slices. */
export async function findWarningsInSlices(options: HostOptions): Promise<readonly Problem[]> {
  const host = new BacklotHost(silent(options), { loadsLater: true });
  await host.loadContracts();
  await runInSlices(host.loadSteps());
  void host.stop(0);
  return warningsOf(host, options);
}

function silent({ log: _log, ...others }: HostOptions): HostOptions {
  return others;
}

function warningsOf(host: BacklotHost, options: HostOptions): readonly Problem[] {
  const mocks = new Map(host.kinds.map((kind) => [kind.kind, kind.mocks]));
  const ids = new Map(host.kinds.map((kind) => [kind.kind, kind.mocks.list().map((mock) => mock.id)]));
  const ofMocks = host.kinds.flatMap(({ mocks: { warnings } }) => warnings);
  const ofScenarios = (options.scenarios ?? []).flatMap(({ patches }, index) =>
    findMissingMocks(patches, mocks).map(({ path, message }) => {
      const at = pointTo('/scenarios', index) + path;
      const patch = patches?.[Number(path.slice('/patches/'.length) || NaN)];
      // Of many, the last problem is about all that are not named.
      if (patch === undefined) return { path: at, message };
      const meant = suggestMock(patch, ids);
      return {
        path: `${at}/mock_id`,
        message: meant === undefined ? message : `${message}; did you mean "${meant}"?`,
      };
    }),
  );
  return [...ofMocks, ...ofScenarios, ...misspelt(options), ...findEmitWarnings(host, options.settings)];
}

/** Collections that are not declared, and are called almost as one that is. */
function misspelt({ collections = {}, protocols, settings = {} }: HostOptions): readonly Problem[] {
  const declared = Object.keys(collections);
  if (declared.length === 0) return [];
  return protocols.flatMap(({ kind, mocks: { configKey } }) => {
    const block: unknown = Object.hasOwn(settings, kind) ? settings[kind] : undefined;
    const list: unknown = isObject(block) ? block[configKey] : undefined;
    return (Array.isArray(list) ? list : []).flatMap((mock: unknown, index): readonly Problem[] => {
      const given = isObject(mock) ? mock['collection'] : undefined;
      const at = `${pointTo(`${pointTo('/settings', kind)}/${configKey}`, index)}/collection`;
      return [given].flat().flatMap((operation: unknown, which) => {
        const name = isObject(operation) ? operation['name'] : undefined;
        if (typeof name !== 'string' || declared.includes(name)) return [];
        const meant = suggest(name, declared);
        if (meant === undefined) return [];
        const path = `${Array.isArray(given) ? pointTo(at, which) : at}/name`;
        return [{ path, message: `no collection "${name}" is declared; did you mean "${meant}"?` }];
      });
    });
  });
}
