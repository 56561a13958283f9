import { runAtOnce } from '@backlot/core/plugin';
import { Differences, redactJsonSteps } from '@backlot/kit/upstream';
import type { ResultText } from './kept-answer.js';

/** Where two answers differ, a sentence each. */
export function differencesOf(mocked: ResultText, real: ResultText): readonly string[] {
  const differences = new Differences();
  if (mocked.status !== real.status) differences.add('status', mocked.status, real.status);
  differences.compare('answer', parsed(mocked.body), parsed(real.body));
  return differences.found;
}

/** The text of what a mock answers, as it is compared. */
export function shownOf(text: string): string {
  return runAtOnce(redactJsonSteps(text));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
