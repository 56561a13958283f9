/** A value that does not fit its message type; names the field. */
export class FieldError extends Error {
  /** Names of fields, indexes of lists and keys of maps, from the message on. */
  readonly steps: readonly (string | number)[];
  /** What is wrong, without the place. */
  readonly problem: string;

  constructor(problem: string, steps: readonly (string | number)[] = []) {
    super(steps.length === 0 ? problem : `${describeSteps(steps)}: ${problem}`);
    this.problem = problem;
    this.steps = steps;
  }

  /** The same error seen from the message around the field. */
  within(step: string | number): FieldError {
    return new FieldError(this.problem, [step, ...this.steps]);
  }
}

/** Runs `make`; the error of a field within is named from here on. */
export function at<T>(step: string | number, make: () => T): T {
  try {
    return make();
  } catch (thrown) {
    throw thrown instanceof FieldError ? thrown.within(step) : thrown;
  }
}

/** A place as people write it: `user.tags[2].name`. */
function describeSteps(steps: readonly (string | number)[]): string {
  return steps
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`))
    .join('');
}

/** A place as a JSON pointer below another. */
export function pointerOf(base: string, steps: readonly (string | number)[]): string {
  return [base, ...steps.map((step) => String(step).replaceAll('~', '~0').replaceAll('/', '~1'))].join('/');
}

/** A value for a message, not longer than a line. */
export function show(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 100 ? `${text.slice(0, 97)}...` : text;
}
