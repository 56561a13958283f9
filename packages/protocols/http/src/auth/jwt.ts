import { parseJsonPath, pointTo, readJsonPath, type CompileTools, type Pointer } from '@backlot/core/plugin';
import type { TokenTest } from './bearer.js';
import type { AuthDefinition } from './schema.js';

/** Tests JSON Web Tokens: the signature, `exp` and `nbf` by the virtual clock, and the claims. */
export function jwtTest(
  { key, claims = {}, leeway }: NonNullable<AuthDefinition['jwt']>,
  tools: CompileTools,
  at: Pointer,
): TokenTest {
  const verifier = tools.tokens(key, `${at}/key`);
  const tolerance = tools.duration(leeway, `${at}/leeway`);
  const wanted = Object.entries(claims).map(([path, source]) => ({
    path,
    steps: parseJsonPath(path),
    pattern: tools.pattern(source, pointTo(`${at}/claims`, path)),
  }));
  return (token, message) => {
    const verified = verifier.verify(token, tolerance);
    if (verified.claims === undefined) return `bearer token ${verified.problem}`;
    for (const { path, steps, pattern } of wanted) {
      const value = readJsonPath(verified.claims, steps);
      const isOneOf = Array.isArray(value) && value.some((item) => pattern.testValue(item, message));
      if (!isOneOf && !pattern.testValue(value, message))
        return pattern.reasonOfValue(`claim ${path}`, value, message);
    }
    return undefined;
  };
}
