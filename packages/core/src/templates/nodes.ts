import { compileExpression, compileSectionExpression } from './expression.js';
import { insideStringAfter } from './json-context.js';
import type { Part, SectionPart, ValuePart } from './parse.js';
import { COST, UNKNOWN, type Evaluate, type Run } from './run.js';
import { asJsonValue, insideJsonString, toText } from './text-forms.js';

/** A compiled piece of a template: writes its rendering to the run. */
export type Node = (run: Run) => void;

/** Compiles parts to functions, so that rendering looks nothing up that the template already says. */
export class NodeCompiler {
  private inString = false;
  private depth = 0;

  /** @param json - whether values are escaped for JSON */
  constructor(private readonly json: boolean) {}

  /** @throws invalid when a helper is called with arguments it cannot take */
  compile(parts: readonly Part[]): Node {
    const nodes = parts.map((part) => this.compilePart(part));
    const [only] = nodes;
    if (only !== undefined && nodes.length === 1) {
      return only;
    }
    return (run) => {
      for (const node of nodes) {
        node(run);
      }
    };
  }

  private compilePart(part: Part): Node {
    if (part.type === 'text') {
      const { text } = part;
      this.inString = this.json && insideStringAfter(text, this.inString);
      return (run) => {
        run.write(text);
      };
    }
    return part.type === 'value' ? this.compileValue(part) : this.compileSection(part);
  }

  private compileValue(part: ValuePart): Node {
    const evaluate = compileExpression(part.expression, this.depth > 0);
    const format = this.formatFor(part);
    const { text } = part;
    return (run) => {
      run.spend(COST.tag + COST.frame * run.stack.length);
      const value = evaluate(run);
      if (value === UNKNOWN) {
        run.write(text);
      } else if (value !== undefined) {
        run.write(format(run, value));
      }
    };
  }

  private formatFor(part: ValuePart): (run: Run, value: unknown) => string {
    if (!this.json || !part.escaped) {
      return plain;
    }
    return this.inString ? quoted : unquoted;
  }

  private compileSection(part: SectionPart): Node {
    const evaluate = compileSectionExpression(part.expression, this.depth > 0);
    this.depth += 1;
    const inside = this.compile(part.parts);
    this.depth -= 1;
    const { open, close } = part;
    const known = part.inverted ? invertedSection(inside) : section(inside);
    return (run) => {
      const value = evaluate(run);
      run.spend(COST.pass + COST.frame * run.stack.length);
      if (value === UNKNOWN) {
        run.write(open);
        inside(run);
        run.write(close);
      } else {
        known(run, value);
      }
    };
  }
}

function plain(run: Run, value: unknown): string {
  if (typeof value === 'string') {
    return value;
  }
  const text = toText(value);
  // What is no text yet is written as JSON, or decoded.
  run.spend(text.length * COST.encoded);
  return text;
}

function quoted(run: Run, value: unknown): string {
  const text = insideJsonString(value);
  run.spend(text.length * costOf(value));
  return text;
}

function unquoted(run: Run, value: unknown): string {
  const text = asJsonValue(value);
  run.spend(text.length * costOf(value));
  return text;
}

function costOf(value: unknown): number {
  return typeof value === 'string' ? COST.changed : COST.encoded;
}

/** Compiles the one tag of a leaf that keeps the type of its value. */
export function compileLeaf(part: ValuePart): Evaluate {
  const evaluate = compileExpression(part.expression, false);
  return (run) => {
    const value = evaluate(run);
    return value === UNKNOWN ? part.text : value;
  };
}

function section(inside: Node): (run: Run, value: unknown) => void {
  return (run, value) => {
    if (isEmpty(value)) {
      return;
    }
    if (!Array.isArray(value)) {
      pass(run, inside, value);
      return;
    }
    for (const item of value as unknown[]) {
      pass(run, inside, item);
    }
  };
}

function invertedSection(inside: Node): (run: Run, value: unknown) => void {
  return (run, value) => {
    if (isEmpty(value)) {
      inside(run);
    }
  };
}

function pass(run: Run, inside: Node, value: unknown): void {
  run.spend(COST.pass);
  run.stack.push(value);
  inside(run);
  run.stack.pop();
}

/** Mustache's rule: false, nothing, zero, an empty text and an empty list. */
function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : !value;
}
