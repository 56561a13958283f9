import { Type } from '@sinclair/typebox';

/** What a kind can do with an upstream. */
export const UPSTREAM_MODES = ['passthrough', 'spy', 'record_new', 'record_all', 'replay', 'diff'] as const;

/** See {@link UPSTREAM_MODES}. */
export type UpstreamMode = (typeof UPSTREAM_MODES)[number];

/** What the ids of mocks begin with that were recorded. By it they are known as such, also once they stand in a file. */
export const RECORDED_ID = 'recorded:';

/** The setting `upstream` of every kind: the real server behind it. */
export const UpstreamSchema = Type.Object(
  {
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        description:
          'Where the real server is: a scheme, a host and a port, such as `redis://127.0.0.1:6379`. `tcp://`, `udp://` and `tls://` are schemes of every protocol. `mode: replay` does without, and so does a proxy of HTTP, which asks the server that each request is for.',
      }),
    ),
    mode: Type.Union(
      UPSTREAM_MODES.map((mode) => Type.Literal(mode)),
      {
        description:
          '`passthrough`: everything goes to the upstream. `spy`: mocks answer, and the upstream what none matches. `record_new`: as `spy`, and what the upstream answers becomes mocks. `record_all`: everything goes to the upstream and becomes mocks. `replay`: only mocks answer; `backlot run` fails for a message that none matches, and for a recording that was not used. `diff`: mocks answer, and where the upstream answers otherwise is noted. Every protocol has `passthrough`.',
      },
    ),
    ca: Type.Optional(
      Type.String({
        format: 'path',
        description:
          'PEM file of the authorities that may have signed the certificate of the upstream, in place of the public ones. It is read at the start. Stands beside an url with TLS.',
      }),
    ),
    verify: Type.Optional(
      Type.Boolean({
        description:
          'Whether the certificate of the upstream is checked, as it is by default. Stands beside an url with TLS.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'The real server behind this one, and what it is asked for.',
  },
);

/** What a kind does with an upstream beyond passing bytes through, which kit does for every kind. */
export interface RecordingDeclaration {
  /** The modes in which the kind itself decodes what passes; `replay` needs nothing of the service. */
  readonly modes: readonly UpstreamMode[];
  /** Whether the url may have a path, which stands before that of each message. `false` when absent. */
  readonly hasPath?: boolean;
  /**
   * Whether the kind refuses in the mode `replay` what no mock matches, though it is quiet about that otherwise: there it is a
   * message that was not recorded. `false` when absent.
   */
  readonly refusesUnrecorded?: boolean;
  /**
   * Whether the kind can begin TLS with an upstream that is reached in the clear, by a command of its protocol: then its scheme with
   * `+starttls`, such as `smtp+starttls://`, is one of the url as well. `false` when absent.
   */
  readonly startsTls?: boolean;
  /**
   * The setting of the kind with which the url may be left out: its messages then say themselves which server they are for. `share`: the
   * kind whose listener it shares says so.
   */
  readonly openWith?: string;
}

/** The upstream of a running kind, read from its settings. */
export interface Upstream {
  /** The url as people see it; empty when it {@link isOpen}, as are the host and the port. */
  readonly url: string;
  /** Whether it is the server that each message names. */
  readonly isOpen: boolean;
  /** A host name or an address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Whether it is reached by TLS. */
  readonly isSecure: boolean;
  /** Whether it is reached in the clear, and TLS is to begin by a command of the protocol before anything else is said. */
  readonly startsTls: boolean;
  /** The path of the url, without a slash at its end; empty for none. */
  readonly path: string;
  readonly mode: Exclude<UpstreamMode, 'replay'>;
  /** The file of {@link UpstreamSchema}. */
  readonly ca: string | undefined;
  /** Whether its certificate is checked. */
  readonly verify: boolean;
  /** Whether the kind has declared that it decodes what passes in this mode; kit passes the bytes of others through. */
  readonly isDecoded: boolean;
}

/** What an upstream has to do with an exchange, as its journal entry shows it. */
export type UpstreamNote = {
  /** Whether the answer is the upstream's; absent where a mock has answered. */
  readonly answered?: true;
  /** The mock that was made of it. */
  readonly recorded_id?: string;
  /** What of the message became a pattern in that mock, and by which rule: `query ts: epoch`. */
  readonly patterns?: readonly string[];
  /** Where the upstream answers otherwise than the mock, a sentence each; empty where it answers the same. */
  readonly differences?: readonly string[];
};
