/**
 * How a page shows captured messages, by the names of fields of their schema. A page that does not know the view, and
 * one for a kind without any, shows a plain list.
 */
export interface CaptureView {
  /** `mail`: an inbox; `messages`: by where they were sent to; `list`: as they are. */
  readonly as: 'mail' | 'messages' | 'list';
  /** What a message is called in a list: its subject, its routing key. */
  readonly title?: string;
  /** What messages are grouped by: a topic, a queue, a subject. */
  readonly group?: string;
  /** Who has sent it, and who gets it. */
  readonly from?: string;
  readonly to?: string;
  /** What it says as plain text. */
  readonly text?: string;
  /** What it says as HTML, which is shown in a sandbox alone. */
  readonly html?: string;
  /** The whole of it, as it came. */
  readonly source?: string;
}

/** How a page shows mocks that are things of their own, such as the records of a name server, beside the list of mocks. */
export interface MockView {
  readonly as: 'table';
  /** What they are called together: `records`. */
  readonly title: string;
  /** Which fields are columns, in order, beside the id. */
  readonly columns: readonly string[];
}

/** How a page shows the entries of a section of data. */
export interface DataView {
  /** `tree`: by the parts of a path; `list`: as they are. */
  readonly as: 'tree' | 'list';
  /** The field that holds the path of an entry, in a tree; that of its id when absent. */
  readonly path?: string;
  /** What is between the parts of the path. */
  readonly separator?: string;
  /** Whether the last part of the path is the root, as in a distinguished name. `false` when absent. */
  readonly fromEnd?: boolean;
  /** The field that is shown in place of the others when an entry is opened: the value of a key, the text of a file. */
  readonly value?: string;
}
