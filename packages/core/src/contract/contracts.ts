import { Type } from '@sinclair/typebox';

/** What becomes of what a contract does not allow. */
export const CONTRACT_MODES = ['off', 'warn', 'enforce'] as const;

/** See {@link CONTRACT_MODES}. */
export type ContractMode = (typeof CONTRACT_MODES)[number];

/** The setting `contract` of the kinds that declare `contracts`: what messages and mocks are held to. */
export const ContractSchema = Type.Object(
  {
    file: Type.String({
      format: 'path',
      minLength: 1,
      maxLength: 4096,
      description:
        'The file with the contract, or an url with `http://` or `https://`. It is read at the start.',
    }),
    mode: Type.Optional(
      Type.Union(
        CONTRACT_MODES.map((mode) => Type.Literal(mode)),
        {
          default: 'enforce',
          description:
            '`enforce`: a message that the contract does not allow is refused as the protocol refuses one, and so is a mock whose answer it does not allow. `warn`: both are only noted, in the log and as warnings. `off`: the file is not read.',
        },
      ),
    ),
  },
  { additionalProperties: false, description: 'What messages and mocks are held to.' },
);

/** One thing that a contract does not allow. */
export type ContractViolation = {
  /** Whether it is in what was received or in what was answered. */
  readonly in: 'request' | 'answer';
  /** A JSON pointer into the message, such as `/body/name`, `/query/limit` or `/status`. */
  readonly path: string;
  /** What would be right, as in `must be a string`. */
  readonly message: string;
  /** What stands there: a text, a number, a boolean or null; the beginning of a long text; absent for anything else. */
  readonly value?: string | number | boolean | null;
};

/** What the contract has to do with an exchange, as its journal entry shows it. */
export type ContractNote = {
  /** The operation that the message is one of; absent where the contract has none for it. */
  readonly operation?: string;
  /** What is not allowed; absent where everything is. */
  readonly violations?: readonly ContractViolation[];
  /** Whose body is too long to be held to its schema. */
  readonly unchecked?: readonly ('request' | 'answer')[];
};

/** An operation of a contract, for the report of what was touched. */
export interface ContractOperation {
  /** Names it among the others: `GET /users/{id}`. */
  readonly name: string;
  /** What it may answer, such as statuses; those that the contract does not list are counted where they are given. */
  readonly answers: readonly string[];
}

/** What a mock does that the contract does not allow. */
export interface MockViolation {
  /** A JSON pointer into the mock. */
  readonly path: string;
  /** A sentence part, as in `/data/0/id must be a string`. */
  readonly message: string;
}

/** A contract that was read. A kind adds what its service asks it for. */
export interface LoadedContract {
  readonly operations: readonly ContractOperation[];
  /** The same text for the same files, by which a reload knows whether they were written anew. */
  readonly digest: string;
  /**
   * What the answer of a mock breaks; what is known only when it answers is checked then.
   *
   * @param mock - the mock as it is stored
   * @param compiled - what the kind's own `compile` has made of it
   */
  checkMock(mock: Readonly<Record<string, unknown>>, compiled: unknown): readonly MockViolation[];
}

/** What a contract is read with. */
export interface ContractSource {
  /** An absolute path, or an url. */
  readonly file: string;
  /** The seed of values that are made. */
  readonly seed: number;
  /** The other settings of the kind. */
  readonly config: Readonly<Record<string, unknown>>;
}

/** The contracts of a kind. */
export interface ContractDeclaration {
  /** What the files may be, for people: `OpenAPI 3.0 and 3.1, Swagger 2.0`. */
  readonly formats: string;
  /** Whether messages that an `upstream` answers are held to it as well; settings with both are refused otherwise. */
  readonly besideUpstream?: boolean;
  /**
   * Reads a contract when a host is made whose settings name one; large modules are loaded here.
   *
   * @throws BacklotError `invalid` for a file that cannot be read, or is none of the formats
   */
  load(source: ContractSource): Promise<LoadedContract>;
}

/** What was found of a message or of its answer. */
export interface ContractFindings {
  /** The operation that it belongs to; absent where the contract has none. */
  readonly operation?: string | undefined;
  /** Further operations that one message touches, such as the fields that a document selects. */
  readonly also?: readonly string[] | undefined;
  /** What was answered, of the answers of the operation; of what is received, where a contract tells messages of an operation apart. */
  readonly answer?: string | undefined;
  readonly violations: readonly ContractViolation[];
  /** Whether the body is too long to be held to its schema. */
  readonly isUnchecked?: boolean | undefined;
}

/** The contract of a running kind. */
export interface ContractDesk {
  readonly mode: Exclude<ContractMode, 'off'>;
  /** What the declaration's `load` has given. */
  readonly loaded: LoadedContract;
  /**
   * Notes what was found, in the journal and in the report of what was touched. Call it once for a message, and once for
   * its answer, before `done` of the exchange.
   *
   * @returns whether it must be refused
   */
  take(
    exchange: { noteContract(note: ContractNote): void },
    side: 'request' | 'answer',
    findings: ContractFindings,
  ): boolean;
}

/** What was touched of one operation. */
export interface OperationCoverage {
  readonly name: string;
  /** Messages that were received for it. */
  readonly requests: number;
  /** How often each answer was given; those that the contract does not have are not among them. */
  readonly answers: Readonly<Record<string, number>>;
}

/** What was touched of the contract of one kind, since the start or since it was last cleared; a reset leaves it. */
export interface ContractCoverage {
  readonly protocol: string;
  readonly file: string;
  readonly mode: ContractMode;
  readonly operations: { readonly total: number; readonly touched: number };
  readonly answers: { readonly total: number; readonly touched: number };
  /** Messages and answers that broke it. */
  readonly violations: { readonly requests: number; readonly answers: number };
  /** Messages for which the contract has no operation. */
  readonly unknown: number;
  readonly list: readonly OperationCoverage[];
}
