import { computed, signal } from '@preact/signals';
import { api } from './api.js';

/** The real server behind a protocol, with what became of the messages since the start. */
export interface Upstream {
  /** Absent where each message says itself which server it is for. */
  readonly url?: string;
  readonly mode: string;
  readonly passed: number;
  readonly recorded: number;
  readonly replayed: number;
  readonly missed: number;
  readonly compared: number;
  readonly differing: number;
}

/** A protocol, as `GET /api/protocols` has it. */
export interface Protocol {
  readonly protocol: string;
  readonly title: string;
  readonly enabled: boolean;
  readonly state: string;
  readonly host?: string;
  readonly port?: number;
  readonly tls?: boolean;
  readonly mocks?: number;
  readonly connections?: number;
  readonly messages?: number;
  readonly error?: string;
  readonly upstream?: Upstream;
}

/** A JSON schema, as far as this page reads it. */
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly additionalProperties?: boolean | Schema;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly $ref?: string;
}

/** How captured messages are shown. */
export interface CaptureView {
  readonly as: string;
  readonly title?: string;
  readonly group?: string;
  readonly from?: string;
  readonly to?: string;
  readonly text?: string;
  readonly html?: string;
  readonly source?: string;
}

/** One section of data. */
export interface Section {
  readonly section: string;
  readonly noun: string;
  readonly summary: string;
  readonly path: string;
  readonly id: string;
  readonly schema: Schema;
  readonly put?: { readonly schema: Schema; readonly examples: readonly object[] };
  readonly remove: boolean;
  /** Whether its entries are the mocks of the kind. */
  readonly isMocks?: boolean;
  /** There where its entries are items of a list beside the mocks: whether they can be replaced. Single ones cannot be asked for. */
  readonly items?: { readonly replace: boolean };
  readonly view?: {
    readonly as: string;
    readonly path?: string;
    readonly separator?: string;
    readonly fromEnd?: boolean;
    readonly value?: string;
  };
}

/** What there is of a kind, as `GET /api/schema/<kind>` has it. */
export interface KindSchema {
  readonly protocol: string;
  readonly title: string;
  readonly summary: string;
  readonly mock: {
    readonly noun: string;
    readonly mode: string;
    readonly schema: Schema;
    readonly fields: readonly string[];
    readonly draft: Readonly<Record<string, string>>;
    readonly answer: readonly string[];
    /** There where the mocks are things of their own, such as records. */
    readonly view?: { readonly as: 'table'; readonly title: string; readonly columns: readonly string[] };
    readonly line?: string;
    readonly examples: readonly Readonly<Record<string, unknown>>[];
  };
  readonly fault?: { readonly schema: Schema };
  /** The types of toxics that it takes, with the schemas of their attributes. */
  readonly toxics: readonly { readonly type: string; readonly summary: string; readonly schema: Schema }[];
  readonly captures?: {
    readonly path: string;
    readonly schema: Schema;
    readonly attachments: boolean;
    readonly time: string;
    readonly view?: CaptureView;
  };
  readonly data: readonly Section[];
  readonly items: readonly {
    readonly name: string;
    readonly noun: string;
    readonly summary: string;
    readonly path: string;
    readonly id: string;
    readonly schema: Schema;
    readonly examples: readonly object[];
    readonly replace: boolean;
    readonly remove: boolean;
  }[];
  readonly publish?: {
    readonly path: string;
    readonly summary: string;
    readonly schema: Schema;
    readonly examples: readonly object[];
  };
  readonly push?: { readonly schema: Schema };
  /** What sends something to begin with. */
  readonly command?: { readonly tool: string; readonly line: string };
  readonly $defs: Readonly<Record<string, Schema>>;
}

/** All protocols that are installed. */
export const protocols = signal<readonly Protocol[]>([]);
/** Those that run. */
export const running = computed(() => protocols.value.filter(({ enabled }) => enabled));
/** Whether they were asked for once. */
export const isKnown = signal(false);

/** Asks for the protocols again. */
export async function refreshProtocols(): Promise<void> {
  protocols.value = await api<Protocol[]>('/api/protocols');
  isKnown.value = true;
}

/** The name of a kind as people write it. */
export function titleOf(kind: string): string {
  return protocols.value.find(({ protocol }) => protocol === kind)?.title ?? kind;
}

const asked = new Map<string, Promise<KindSchema>>();

/** What there is of a kind; asked for once. */
export function schemaOf(kind: string): Promise<KindSchema> {
  let schema = asked.get(kind);
  if (schema === undefined) {
    schema = api<KindSchema>(`/api/schema/${encodeURIComponent(kind)}`);
    schema.catch(() => asked.delete(kind));
    asked.set(kind, schema);
  }
  return schema;
}

/** What there is of all kinds that run. */
export function allSchemas(): Promise<KindSchema[]> {
  return Promise.all(running.value.map(({ protocol }) => schemaOf(protocol)));
}
