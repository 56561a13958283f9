import { invalid } from '../errors.js';
import { compileExpression, compileSectionExpression, firstWord, meansSomething } from './expression.js';
import { insideStringAfter } from './json-context.js';
import { stateKeyOf } from './lookup.js';
import type { ElsePart, Part, SectionPart, ValuePart } from './parse.js';
import type { Target } from './target.js';
import { COST, UNKNOWN, type Evaluate, type Run } from './run.js';
import { escapeJson, escapeXml, isEmpty } from './text-forms.js';
import { meantBy } from './unknown-names.js';

/** Takes a warning, in words, and the first name of the tag that means nothing: somebody may know better. */
export type Warn = (message: string, name: string) => void;

/** A compiled piece of a template: writes its rendering to the run. */
export type Node = (run: Run) => void;

/** Compiles parts to functions, so that rendering looks nothing up that the template already says. */
export class NodeCompiler {
  private inString = false;
  /** Whether a tag here stands where JSON has a value, so that nothing is `null`. */
  private takesNull: boolean;
  private inCdata = false;
  private depth = 0;
  private chain = 0;

  /**
   * @param target - what values are escaped for
   * @param warn - takes what a tag says and hardly means
   */
  constructor(
    private readonly target: Target,
    private readonly warn: Warn | undefined,
  ) {
    this.takesNull = target === 'json';
  }

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
      this.follow(text);
      return (run) => {
        run.write(text);
      };
    }
    if (part.type === 'value') {
      return this.compileValue(part);
    }
    if (part.type === 'section') {
      return this.compileSection(part);
    }
    throw invalid('template tag {{else}} stands in no section');
  }

  private compileValue(part: ValuePart): Node {
    const evaluate = compileExpression(part.expression, this.depth > 0);
    this.warnOf(part.expression, part.text);
    const format = this.formatFor(part);
    const { text } = part;
    const missing = this.takesNull ? 'null' : undefined;
    this.takesNull = false;
    return (run) => {
      run.spend(COST.tag + COST.frame * run.stack.length);
      const value = evaluate(run);
      if (value === UNKNOWN) {
        run.write(text);
      } else if (value !== undefined && (value !== null || missing === undefined)) {
        run.write(format(run, value));
      } else if (missing !== undefined) {
        run.write(missing);
      }
    };
  }

  /** Keeps in mind where in JSON or XML the next tag stands. */
  private follow(text: string): void {
    if (this.target === 'json') {
      this.inString = insideStringAfter(text, this.inString);
      if (this.inString) this.takesNull = false;
      else if (/\S/.test(text)) this.takesNull = /[:,[]\s*$/.test(text.slice(-100));
    } else if (this.target === 'xml') {
      const begins = text.lastIndexOf('<![CDATA[');
      const ends = text.lastIndexOf(']]>');
      if (begins !== ends) this.inCdata = begins > ends;
    }
  }

  private formatFor(part: ValuePart): (run: Run, value: unknown) => string {
    if (this.target === 'text' || !part.escaped) {
      return plain;
    }
    if (this.target === 'xml') {
      return this.inCdata ? inCdata : inXml;
    }
    return this.inString ? quoted : unquoted;
  }

  private compileSection({ expression, inverted, parts, open, close }: SectionPart): Node {
    const { evaluate, isCondition } = compileSectionExpression(expression, this.depth > 0);
    this.warnOf(expression, `{{${inverted ? '^' : '#'}${expression}}}`);
    const { inside, middle, otherwise } = this.compileBranches(parts, isCondition);
    const known = compileKnown(inverted, isCondition, inside, otherwise);
    return (run) => {
      const value = evaluate(run);
      run.spend(COST.pass + COST.frame * run.stack.length);
      if (value === UNKNOWN) {
        run.write(open);
        inside(run);
        run.write(middle);
        otherwise(run);
        run.write(close);
      } else {
        known(run, value);
      }
    };
  }

  private warnOf(expression: string, tag: string): void {
    if (this.depth === 0) warnOfUnknown(this.warn, expression, tag);
  }

  private compileBranches(
    parts: readonly Part[],
    isCondition: boolean,
  ): { inside: Node; middle: string; otherwise: Node } {
    const { inString, takesNull, inCdata: inData } = this;
    const at = parts.findIndex(({ type }) => type === 'else');
    const inner = isCondition ? 0 : 1;
    this.depth += inner;
    const inside = this.compile(at < 0 ? parts : parts.slice(0, at));
    this.depth -= inner;
    const middle = parts[at];
    if (middle?.type !== 'else') {
      return { inside, middle: '', otherwise: NOTHING };
    }
    // Only one of the two is written, so that both stand after the same text.
    this.inString = inString;
    this.takesNull = takesNull;
    this.inCdata = inData;
    return { inside, middle: middle.text, otherwise: this.compileElse(middle, parts.slice(at + 1)) };
  }

  private compileElse({ expression, text }: ElsePart, parts: readonly Part[]): Node {
    if (expression === '') {
      if (parts.some(({ type }) => type === 'else')) {
        throw invalid(
          'template section has a second {{else}}; one with a condition is written {{else if x}}',
        );
      }
      return this.compile(parts);
    }
    this.chain += 1;
    if (this.chain > MAX_CHAIN) {
      throw invalid(`template section has more than ${MAX_CHAIN} {{else if x}}`);
    }
    const { evaluate, isCondition } = compileSectionExpression(expression, this.depth > 0);
    if (!isCondition) {
      throw invalid(
        `template tag ${text.trim()}: a condition follows else, as in {{else if request.body.a}}`,
      );
    }
    const { inside, otherwise } = this.compileBranches(parts, true);
    this.chain -= 1;
    const known = compileKnown(false, true, inside, otherwise);
    return (run) => {
      run.spend(COST.pass);
      known(run, evaluate(run));
    };
  }
}

/** How many conditions may follow one section's own. */
const MAX_CHAIN = 100;
const NOTHING: Node = () => undefined;

function plain(run: Run, value: unknown): string {
  // What is no text yet is written as JSON, or decoded.
  return typeof value === 'string' ? value : run.textOf(value);
}

function quoted(run: Run, value: unknown): string {
  return changed(run, escapeJson, plain(run, value));
}

function unquoted(run: Run, value: unknown): string {
  if (value === null) return 'null';
  return typeof value === 'string' || value instanceof Uint8Array ? quoted(run, value) : run.textOf(value);
}

function inXml(run: Run, value: unknown): string {
  return changed(run, escapeXml, plain(run, value), COST.encoded);
}

/** Of all that a CDATA section may hold only its own end is escaped: by a second section. */
function inCdata(run: Run, value: unknown): string {
  return changed(run, (text) => text.replaceAll(']]>', ']]]]><![CDATA[>'), plain(run, value));
}

function changed(
  run: Run,
  change: (text: string) => string,
  given: string,
  cost: number = COST.changed,
): string {
  const text = change(given);
  run.spend(text.length * cost);
  return text;
}

/** A tag that is one unknown name stays in the text: it may be meant for whoever reads the answer. */
function warnOfUnknown(warn: Warn | undefined, expression: string, tag: string): void {
  if (warn === undefined || stateKeyOf(expression) !== undefined) return;
  if (meansSomething(firstWord(expression).first)) return;
  const meant = meantBy(expression);
  const hint = meant === undefined ? '' : `; did you mean {{${meant}}}?`;
  const [name = ''] = expression.replace(/^\./, '').split(/[.[]/, 1);
  warn(`template tag ${tag} stays in the text: no value and no helper has this name${hint}`, name);
}

/** Compiles the one tag of a leaf that keeps the type of its value. */
export function compileLeaf(part: ValuePart, warn?: Warn): Evaluate {
  const evaluate = compileExpression(part.expression, false);
  warnOfUnknown(warn, part.expression, part.text);
  return (run) => {
    const value = evaluate(run);
    return value === UNKNOWN ? part.text : value;
  };
}

function compileKnown(
  inverted: boolean,
  isCondition: boolean,
  inside: Node,
  otherwise: Node,
): (run: Run, value: unknown) => void {
  if (inverted || isCondition) {
    return (run, value) => {
      if (isEmpty(value) === inverted) {
        inside(run);
      } else {
        otherwise(run);
      }
    };
  }
  return (run, value) => {
    if (isEmpty(value)) {
      otherwise(run);
    } else if (Array.isArray(value)) {
      passAll(run, inside, value);
    } else {
      pass(run, inside, value);
    }
  };
}

function passAll(run: Run, inside: Node, list: readonly unknown[]): void {
  const { index, count } = run;
  run.count = list.length;
  for (let at = 0; at < list.length; at += 1) {
    run.index = at;
    pass(run, inside, list[at]);
  }
  run.index = index;
  run.count = count;
}

function pass(run: Run, inside: Node, value: unknown): void {
  run.spend(COST.pass);
  run.stack.push(value);
  inside(run);
  run.stack.pop();
}
