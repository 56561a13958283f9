import { validation } from './errors.mjs';
import { RESERVED_WORDS } from './reserved-words.mjs';

const TOKEN = /\s*(?:([A-Za-z_]\w*|#\w+|:\w+|\d+)|(<>|<=|>=|[=<>(),.[\]+-]))/y;
const MAX_LENGTH = 4096;
const MAX_DEPTH = 300;
const FUNCTIONS = {
  attribute_exists: 1,
  attribute_not_exists: 1,
  attribute_type: 2,
  begins_with: 2,
  contains: 2,
  size: 1,
};

/**
 * Reads expressions of DynamoDB: conditions, keys, projections and updates. Names and values of the call are put in their
 * places, and those that no expression has used are found by {@link Parser.checkUsed}.
 */
export class Parser {
  #names;
  #values;
  #used = new Set();
  #kind = '';
  #tokens = [];
  #at = 0;
  #depth = 0;

  constructor({ ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} }) {
    this.#names = names;
    this.#values = values;
  }

  /** A condition as a tree, such as `{op: 'and', of: [...]}`. */
  condition(text, kind = 'ConditionExpression') {
    return this.#whole(text, kind, () => this.#or());
  }

  /** The paths of a projection. */
  projection(text) {
    return this.#whole(text, 'ProjectionExpression', () => this.#list(() => this.#path()));
  }

  /** What an update does: `{set, remove, add, delete}`, each a list. */
  update(text) {
    return this.#whole(text, 'UpdateExpression', () => {
      const made = { set: [], remove: [], add: [], delete: [] };
      const seen = new Set();
      while (this.#peek() !== undefined) {
        const word = this.#next();
        const clause = word.toLowerCase();
        if (!Object.hasOwn(made, clause)) throw this.#wrong(word);
        if (seen.has(clause))
          throw this.#invalid(
            `The "${clause.toUpperCase()}" section can only be used once in an update expression;`,
          );
        seen.add(clause);
        made[clause] = this.#list(() => this.#action(clause));
      }
      return made;
    });
  }

  /** @throws when names or values of the call are in no expression */
  checkUsed() {
    for (const [field, given] of [
      ['ExpressionAttributeNames', this.#names],
      ['ExpressionAttributeValues', this.#values],
    ]) {
      const unused = Object.keys(given).filter((name) => !this.#used.has(name));
      if (unused.length > 0)
        throw validation(`Value provided in ${field} unused in expressions: keys: {${unused.join(', ')}}`);
    }
  }

  #whole(text, kind, read) {
    this.#kind = kind;
    if (typeof text !== 'string' || text.trim() === '')
      throw this.#invalid('The expression can not be empty;');
    if (text.length > MAX_LENGTH)
      throw this.#invalid('Expression size has exceeded the maximum allowed size;');
    this.#tokens = this.#scan(text);
    this.#at = 0;
    this.#depth = 0;
    const made = read();
    if (this.#peek() !== undefined) throw this.#wrong(this.#peek());
    return made;
  }

  #scan(text) {
    const tokens = [];
    TOKEN.lastIndex = 0;
    const end = text.trimEnd().length;
    while (TOKEN.lastIndex < end) {
      const from = TOKEN.lastIndex;
      const found = TOKEN.exec(text);
      if (found === null) throw this.#wrong(text.slice(from).trim().slice(0, 1));
      tokens.push(found[1] ?? found[2]);
    }
    return tokens;
  }

  #peek(ahead = 0) {
    return this.#tokens[this.#at + ahead];
  }

  #next() {
    const token = this.#tokens[this.#at];
    if (token === undefined) throw this.#wrong('<EOF>');
    this.#at += 1;
    return token;
  }

  #isWord(word) {
    return this.#peek()?.toUpperCase() === word;
  }

  #take(token) {
    if (this.#peek()?.toUpperCase() !== token) return false;
    this.#at += 1;
    return true;
  }

  #expect(token) {
    if (!this.#take(token)) throw this.#wrong(this.#peek() ?? '<EOF>');
  }

  #list(read) {
    const items = [read()];
    while (this.#take(',')) items.push(read());
    return items;
  }

  #deeper(read) {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH)
      throw this.#invalid('The expression contains too many operators or is nested too deeply;');
    const made = read();
    this.#depth -= 1;
    return made;
  }

  #or() {
    const of = [this.#and()];
    while (this.#take('OR')) of.push(this.#and());
    return of.length === 1 ? of[0] : { op: 'or', of };
  }

  #and() {
    const of = [this.#not()];
    while (this.#take('AND')) of.push(this.#not());
    return of.length === 1 ? of[0] : { op: 'and', of };
  }

  #not() {
    if (this.#take('NOT')) return this.#deeper(() => ({ op: 'not', of: this.#not() }));
    if (this.#take('(')) {
      const inner = this.#deeper(() => this.#or());
      this.#expect(')');
      return inner;
    }
    return this.#comparison();
  }

  #comparison() {
    const left = this.#operand();
    const sign = this.#peek();
    if (['=', '<>', '<', '<=', '>', '>='].includes(sign)) {
      this.#next();
      return { op: sign, left, right: this.#operand() };
    }
    if (this.#take('BETWEEN')) {
      const low = this.#operand();
      this.#expect('AND');
      return { op: 'between', left, low, high: this.#operand() };
    }
    if (this.#take('IN')) {
      this.#expect('(');
      const list = this.#list(() => this.#operand());
      this.#expect(')');
      if (list.length > 100) throw this.#invalid('Too many operands for the IN operator;');
      return { op: 'in', left, list };
    }
    if (left.call !== undefined && left.call !== 'size') return { op: left.call, args: left.args };
    throw this.#wrong(sign ?? '<EOF>');
  }

  #operand() {
    const token = this.#peek();
    if (token === undefined) throw this.#wrong('<EOF>');
    if (token.startsWith(':')) return this.#value();
    if (this.#peek(1) === '(' && /^[A-Za-z_]/.test(token)) return this.#call(FUNCTIONS);
    return { path: this.#path() };
  }

  #call(known) {
    const name = this.#next();
    if (!Object.hasOwn(known, name)) throw this.#invalid(`Invalid function name; function: ${name}`);
    this.#expect('(');
    const args = this.#deeper(() => this.#list(() => this.#operand()));
    this.#expect(')');
    if (args.length !== known[name])
      throw this.#invalid(
        `Incorrect number of operands for operator or function; operator or function: ${name}, number of operands: ${args.length}`,
      );
    const [first] = args;
    const needsPath = name !== 'list_append' && name !== 'begins_with' && name !== 'contains';
    if (needsPath && first.path === undefined)
      throw this.#invalid(`Operator or function requires a document path; operator or function: ${name}`);
    return { call: name, args };
  }

  #value() {
    const name = this.#next();
    if (!Object.hasOwn(this.#values, name))
      throw this.#invalid(
        `An expression attribute value used in expression is not defined; attribute value: ${name}`,
      );
    this.#used.add(name);
    return { value: this.#values[name], name };
  }

  #path() {
    const steps = [this.#name()];
    for (;;) {
      if (this.#take('.')) steps.push(this.#name());
      else if (this.#take('[')) {
        const index = this.#next();
        if (!/^\d+$/.test(index)) throw this.#wrong(index);
        this.#expect(']');
        steps.push(Number(index));
      } else return steps;
    }
  }

  #name() {
    const token = this.#next();
    if (token.startsWith('#')) {
      if (!Object.hasOwn(this.#names, token))
        throw this.#invalid(
          `An expression attribute name used in the document path is not defined; attribute name: ${token}`,
        );
      this.#used.add(token);
      return this.#names[token];
    }
    if (!/^[A-Za-z_]\w*$/.test(token)) throw this.#wrong(token);
    if (RESERVED_WORDS.has(token.toUpperCase()))
      throw this.#invalid(`Attribute name is a reserved keyword; reserved keyword: ${token}`);
    return token;
  }

  #action(clause) {
    const path = this.#path();
    if (clause === 'remove') return { path };
    if (clause !== 'set') return { path, ...this.#value() };
    this.#expect('=');
    const left = this.#term();
    const sign = this.#peek();
    if (sign !== '+' && sign !== '-') return { path, from: left };
    this.#next();
    return { path, from: { op: sign, left, right: this.#term() } };
  }

  #term() {
    const token = this.#peek();
    if (token !== undefined && this.#peek(1) === '(' && /^[A-Za-z_]/.test(token)) {
      const name = this.#next();
      const known = { if_not_exists: 2, list_append: 2 };
      if (!Object.hasOwn(known, name)) throw this.#invalid(`Invalid function name; function: ${name}`);
      this.#expect('(');
      const args = this.#deeper(() => this.#list(() => this.#term()));
      this.#expect(')');
      if (args.length !== known[name])
        throw this.#invalid(
          `Incorrect number of operands for operator or function; operator or function: ${name}, number of operands: ${args.length}`,
        );
      if (name === 'if_not_exists' && args[0].path === undefined)
        throw this.#invalid(`Operator or function requires a document path; operator or function: ${name}`);
      return { call: name, args };
    }
    return this.#operand();
  }

  #wrong(token) {
    const near = this.#tokens.slice(Math.max(0, this.#at - 1), this.#at + 2).join(' ');
    return this.#invalid(`Syntax error; token: "${token}", near: "${near}"`);
  }

  #invalid(message) {
    return validation(`Invalid ${this.#kind}: ${message}`);
  }
}
