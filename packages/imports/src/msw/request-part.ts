/** What parameters of a resolver stand for, as names that no source has. */
export const CONTEXT = '@context';
export const REQUEST = '@request';
export const RESPOND = '@respond';
export const TOOLS = '@tools';

const SAFE = /^[\w-]{1,100}$/;

/** The tag of a template for a part of the request that code reads; `undefined` for what is no such part. */
export function requestPart(root: string, members: readonly string[]): string | undefined {
  if (root !== CONTEXT && root !== REQUEST) return undefined;
  const steps = members.filter((step, index) => step !== 'clone' && members[index - 1] !== 'clone');
  const path = partOf(root === CONTEXT && steps[0] === 'request' ? steps.slice(1) : steps);
  return path?.every((step) => SAFE.test(step)) === true ? `{{request.${path.join('.')}}}` : undefined;
}

function partOf(steps: readonly string[]): readonly string[] | undefined {
  const [first = '', second = '', third = '', fourth = '', fifth = ''] = steps;
  if (first === 'params' || first === 'cookies') return steps.length === 2 ? [first, second] : undefined;
  if (first === 'variables') return steps;
  if (first === 'json' && second === '()') return ['body', ...steps.slice(2)];
  if (first === 'text' && second === '()') return steps.length === 2 ? ['body'] : undefined;
  if (first === 'body') return steps;
  if (first === 'headers' && second === 'get') return nameOf(third, 'headers', steps.length === 3);
  if (first === 'url' && second === 'searchParams' && third === 'get')
    return nameOf(fourth, 'query', steps.length === 4);
  if (first === 'url' && second === 'new URL' && third === 'searchParams' && fourth === 'get')
    return nameOf(fifth, 'query', steps.length === 5);
  return undefined;
}

function nameOf(step: string, part: string, isWhole: boolean): readonly string[] | undefined {
  return isWhole && step.startsWith('(') ? [part, step.slice(1, -1)] : undefined;
}
