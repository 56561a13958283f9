/** The parts of a server-sent event. */
export interface ServerSentEvent {
  readonly data: string;
  readonly event?: string | undefined;
  readonly id?: string | undefined;
}

const LINE_END = /\r\n|\n|\r/;

/** Frames an event (WHATWG HTML, section 9.2.5); each line of the data has its own `data:`, so that it stays one event. */
export function frameEvent({ data, event, id }: ServerSentEvent): string {
  let text = '';
  if (id !== undefined) text += `id: ${oneLine(id)}\n`;
  if (event !== undefined) text += `event: ${oneLine(event)}\n`;
  for (const line of data.split(LINE_END)) text += `data: ${line}\n`;
  return `${text}\n`;
}

function oneLine(text: string): string {
  return text.split(LINE_END).join(' ').replaceAll('\0', ' ');
}
