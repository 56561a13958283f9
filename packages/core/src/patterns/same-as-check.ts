import { invalid } from '../errors.js';
import { jsonText } from './json-path.js';
import { isRecordingNested } from './captures.js';
import { clip, COST, show, type Check, type Mismatch } from './check.js';
import { unfit } from './json-checks.js';
import type { PatternSettings } from './pattern-settings.js';
import type { Message } from '../contract/message.js';

/**
 * `same_as`: the value is what a template makes of the same message.
 *
 * @throws invalid when the template does not parse, and where there is no message
 */
export function sameAsCheck(source: unknown, settings: PatternSettings): Check {
  const { surroundings, budget, caseInsensitive } = settings;
  if (typeof source !== 'string') {
    throw unfit('same_as', source, 'a template, such as "{{request.headers.x-user}}"');
  }
  if (surroundings === undefined)
    throw invalid('pattern field "same_as" needs a message, which only mocks have');
  const render = surroundings.template(source, budget);
  const words = `the same as ${show(source)}`;
  const fold = caseInsensitive ? (text: string) => text.toLowerCase() : (text: string) => text;
  const holds = (text: string, message: Message | undefined): boolean =>
    isRecordingNested() || fold(text) === fold(render(message));
  const why = (value: unknown, message: Message | undefined): Mismatch => ({
    steps: [],
    got: value,
    want: `${words}, which is ${show(clip(render(message)))}`,
  });
  return {
    present: holds,
    why,
    compare: (value, message) => {
      const text = jsonText(value);
      return text !== undefined && holds(text, message) ? undefined : why(value, message);
    },
    absent: false,
    cost: COST.parse,
    words,
  };
}
