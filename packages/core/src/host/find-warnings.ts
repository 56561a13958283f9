import type { HostOptions } from '../contract/host.js';
import type { Problem } from '../errors.js';
import { findMissingMocks, suggestMock } from '../scenarios/missing-mocks.js';
import { pointTo } from '../validation/pointer.js';
import { BacklotHost } from './host.js';

/**
 * What the options of a host may say and hardly mean, with JSON pointers into them: patches of scenarios whose mock is
 * not there.
 *
 * @param options - without problems, see `checkSettings`
 */
export function findWarnings(options: HostOptions): readonly Problem[] {
  const host = new BacklotHost(options);
  void host.stop(0);
  const mocks = new Map(host.kinds.map((kind) => [kind.kind, kind.mocks]));
  const ids = new Map(host.kinds.map((kind) => [kind.kind, kind.mocks.list().map((mock) => mock.id)]));
  return (options.scenarios ?? []).flatMap(({ patches }, index) =>
    findMissingMocks(patches, mocks).map(({ path, message }) => {
      const patch = patches?.[Number(path.slice('/patches/'.length))];
      const meant = patch === undefined ? undefined : suggestMock(patch, ids);
      return {
        path: `${pointTo('/scenarios', index)}${path}/mock_id`,
        message: meant === undefined ? message : `${message}; did you mean "${meant}"?`,
      };
    }),
  );
}
