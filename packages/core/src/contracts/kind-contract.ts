import type {
  ContractCoverage,
  ContractDesk,
  ContractFindings,
  ContractMode,
  ContractNote,
  LoadedContract,
  MockViolation,
  OperationCoverage,
} from '../contract/contracts.js';
import type { Problem } from '../errors.js';
import { messageOf } from '../errors.js';

/** Violations of one exchange that the journal keeps. */
const MOST_NOTED = 20;
/** Problems of one mock. */
const MOST_PROBLEMS = 10;

interface Touched {
  requests: number;
  readonly answers: Map<string, number>;
}

/** The contract that the messages and mocks of one kind are held to, and what was touched of it. */
export class KindContract implements ContractDesk {
  readonly mode: Exclude<ContractMode, 'off'>;
  readonly loaded: LoadedContract;
  readonly #kind: string;
  readonly #file: string;
  readonly #touched = new Map<string, Touched>();
  #unknown = 0;
  #brokenRequests = 0;
  #brokenAnswers = 0;

  constructor(kind: string, file: string, mode: Exclude<ContractMode, 'off'>, loaded: LoadedContract) {
    this.#kind = kind;
    this.#file = file;
    this.mode = mode;
    this.loaded = loaded;
    this.clear();
  }

  take(
    exchange: { noteContract(note: ContractNote): void },
    side: 'request' | 'answer',
    { operation, also = [], answer, violations, isUnchecked }: ContractFindings,
  ): boolean {
    const touched = operation === undefined ? undefined : this.#touched.get(operation);
    if (side === 'request') {
      if (touched === undefined) this.#unknown += 1;
      else touched.requests += 1;
      for (const name of also) {
        const further = this.#touched.get(name);
        if (further !== undefined && name !== operation) further.requests += 1;
      }
    }
    if (touched !== undefined && answer !== undefined) {
      touched.answers.set(answer, (touched.answers.get(answer) ?? 0) + 1);
    }
    const isBroken = violations.length > 0;
    if (isBroken && side === 'request') this.#brokenRequests += 1;
    else if (isBroken) this.#brokenAnswers += 1;
    exchange.noteContract({
      ...(operation === undefined ? {} : { operation }),
      ...(isBroken ? { violations: violations.slice(0, MOST_NOTED) } : {}),
      ...(isUnchecked === true ? { unchecked: [side] } : {}),
    });
    return isBroken && this.mode === 'enforce';
  }

  /** What a mock breaks, as problems below its pointer. */
  problemsOf(mock: { readonly id: string }, compiled: unknown): readonly Problem[] {
    let found: readonly MockViolation[];
    try {
      found = this.loaded.checkMock(mock, compiled);
    } catch (thrown) {
      found = [{ path: '', message: `it cannot be checked: ${messageOf(thrown)}` }];
    }
    return found.slice(0, MOST_PROBLEMS).map(({ path, message }) => ({
      path,
      message: `mock "${mock.id}" answers what the contract does not allow: ${message}`,
    }));
  }

  coverage(): ContractCoverage {
    const list = Array.from(this.#touched, ([name, { requests, answers }]) => ({
      name,
      requests,
      answers: Object.fromEntries(answers),
    }));
    const counts = list.flatMap(({ answers }) => Object.values(answers));
    const isTouched = ({ requests, answers }: OperationCoverage): boolean =>
      requests > 0 || Object.values(answers).some((count) => count > 0);
    return {
      protocol: this.#kind,
      file: this.#file,
      mode: this.mode,
      operations: { total: list.length, touched: list.filter(isTouched).length },
      answers: { total: counts.length, touched: counts.filter((count) => count > 0).length },
      violations: { requests: this.#brokenRequests, answers: this.#brokenAnswers },
      unknown: this.#unknown,
      list,
    };
  }

  /** Begins to count anew. */
  clear(): void {
    this.#touched.clear();
    for (const { name, answers } of this.loaded.operations)
      this.#touched.set(name, { requests: 0, answers: new Map(answers.map((answer) => [answer, 0])) });
    this.#unknown = this.#brokenRequests = this.#brokenAnswers = 0;
  }
}
