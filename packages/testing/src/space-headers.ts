/** Names a space to the port that it goes to. */
const SPACE = 'Backlot-Space';
/** Is handed on by services that trace, so that what they ask for belongs to the space as well (W3C Baggage). */
const BAGGAGE = 'baggage';

type Headers = Readonly<Record<string, string>>;

/** The headers with those that name a space; other entries of `baggage` stay. */
export function addSpaceHeaders(headers: Headers, space: string): Record<string, string> {
  const others = Object.entries(headers).filter(
    ([name]) => ![SPACE.toLowerCase(), BAGGAGE].includes(name.toLowerCase()),
  );
  const baggage = (headerOf(headers, BAGGAGE) ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '' && !entry.startsWith('backlot.space='));
  return {
    ...Object.fromEntries(others),
    [SPACE]: space,
    [BAGGAGE]: [...baggage, `backlot.space=${space}`].join(','),
  };
}

/** Whether headers name a space. */
export function namesSpace(headers: Headers | undefined, space: string): boolean {
  return headerOf(headers ?? {}, SPACE) === space;
}

function headerOf(headers: Headers, wanted: string): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === wanted.toLowerCase())?.[1];
}
