import { isBacklotError, readUpstream, type CompileTools, type Upstream } from '@backlot/core/plugin';
import { HTTP_UPSTREAMS } from '../upstream/http-upstreams.js';
import type { HttpMock } from '../schemas.js';

/** The server that answers in the place of a mock; a mock that cannot have the one it names is told so. */
export function compileUpstream(mock: HttpMock, tools: CompileTools): Upstream | undefined {
  const { upstream: given, response, sequence, stream } = mock;
  if (given === undefined) return undefined;
  const { mode = 'passthrough', url } = given;
  const own = response === undefined && sequence === undefined && stream === undefined;
  if (mode === 'diff' && own)
    tools.problem('/upstream/mode', 'diff compares with the answer of the mock, and the mock has none');
  if (mode !== 'diff' && !own)
    tools.problem('/upstream', `in the mode ${mode} the upstream answers, and the mock must have no answer`);
  try {
    return readUpstream(HTTP_UPSTREAMS, { url, mode, ...(given.verify === false && { verify: false }) });
  } catch (thrown) {
    if (!isBacklotError(thrown)) throw thrown;
    tools.problem('/upstream', thrown.message.replace(/^upstream\/\w+: /, ''));
    return undefined;
  }
}
