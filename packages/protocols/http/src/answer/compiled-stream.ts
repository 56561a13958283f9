import {
  compileContent,
  type CompileTools,
  type ContentTemplate,
  type Delay,
  type Template,
} from '@backlot/core/plugin';
import { hasNoContent, type HttpAnswer } from '@backlot/kit/http';
import type { HttpMock } from '../schemas.js';
import type { StreamData, StreamDefinition } from '../schemas/response.js';
import type { Render } from './compiled-reply.js';
import { frameEvent } from './sse.js';

/** One event of a stream, compiled. */
export interface CompiledEvent {
  readonly data: ContentTemplate;
  readonly event: Template | undefined;
  readonly id: Template | undefined;
  /** What is waited for before it. */
  readonly delay: Delay;
}

/** A streaming answer, compiled. */
export interface CompiledStream {
  readonly events: readonly CompiledEvent[];
  readonly keepOpen: boolean;
  /** The content type when the mock gives none. */
  readonly defaultType: string;
}

/** Compiles the stream of a mock, which stands beside its response or inside it. */
export function compileStream(mock: HttpMock, tools: CompileTools): CompiledStream | undefined {
  const inner = mock.response?.stream;
  const definition = mock.stream ?? inner;
  if (definition === undefined) return undefined;
  const at = mock.stream === undefined ? '/response/stream' : '/stream';
  if (mock.stream !== undefined && inner !== undefined) {
    tools.problem(
      '/response/stream',
      'stream is given twice; give it beside the response or inside it, not both',
    );
  }
  if (mock.sequence !== undefined && mock.sequence.length > 0) {
    tools.problem(at, 'a mock with a sequence cannot stream; give one of the two');
  }
  const status = mock.response?.status ?? 200;
  if (hasNoContent(status))
    tools.problem(at, `status ${status} has no content that could be streamed; use 200`);
  const events = (definition.events ?? []).map((event, index) =>
    compileEvent(event, tools, `${at}/events/${index}`),
  );
  const isNamed = events.some(({ event, id }) => event !== undefined || id !== undefined);
  return {
    events,
    keepOpen: definition.keep_open ?? false,
    defaultType: isNamed ? 'text/event-stream' : 'text/plain; charset=utf-8',
  };
}

type EventDefinition = NonNullable<StreamDefinition['events']>[number];

function compileEvent(definition: EventDefinition, tools: CompileTools, at: string): CompiledEvent {
  return {
    data: compileContent(
      { text: definition.data, json: definition.json, base64: definition.data_base64 },
      { text: 'data' },
      tools,
      at,
    ),
    event:
      definition.event === undefined
        ? undefined
        : tools.template(definition.event, `${at}/event`, { target: 'text' }),
    id:
      definition.id === undefined ? undefined : tools.template(definition.id, `${at}/id`, { target: 'text' }),
    delay: tools.delay(definition.delay, `${at}/delay`),
  };
}

/** One event as it goes out; bytes of an event stream, which is text, are read as UTF-8. */
export function renderEvent(event: CompiledEvent, isSse: boolean, render: Render): string | Buffer {
  if (!isSse) return event.data.bytes ?? render(event.data);
  const data = render(event.data);
  return frameEvent({ data, event: event.event && render(event.event), id: event.id && render(event.id) });
}

/** What is pushed, as it goes out; a JSON value is a line of its own where nothing frames it. */
export function renderPushed(pushed: StreamData, isSse: boolean): string {
  const { data, event, id } = typeof pushed === 'string' ? { data: pushed } : pushed;
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  if (isSse) return frameEvent({ data: text, event, id });
  return typeof data === 'string' ? text : `${text}\n`;
}

/** Whether the headers of a streaming answer say that it is one of server-sent events. */
export function isEventStream({ head }: HttpAnswer): boolean {
  return /^\s*text\/event-stream\s*(?:;|$)/i.test(String(head.http2['content-type']));
}
