import { literalTemplate } from '../templates/template.js';
import { NotingTools, type HostParts } from './compile-tools.js';

/** The tools for a mock whose answer a function has made: texts of the answer are data, whatever is in them. */
export class AnswerTools extends NotingTools {
  /** @param fields - the fields of the mock that are its answer */
  constructor(fields: readonly string[], host: HostParts | undefined) {
    super(host);
    const isAnswer = (at: string): boolean => {
      const end = at.indexOf('/', 1);
      return fields.includes(at.slice(1, end < 0 ? undefined : end));
    };
    const { template, value } = this;
    this.template = (source, at, options) =>
      isAnswer(at) ? literalTemplate(source, options) : template(source, at, options);
    this.value = (source, at, options) =>
      isAnswer(at) ? { constant: true, render: () => source } : value(source, at, options);
  }
}
