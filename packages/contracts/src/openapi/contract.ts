import type { ContractOperation } from '@backlot/core/plugin';
import type { Source } from '../sources/load-source.js';
import { checkResponse } from './answers.js';
import { checkBody, contentFor, requestContents, typeIn } from './bodies.js';
import { readApi, type ApiTools, type Operation, type PathItem } from './document.js';
import { makeResponse, type Making, type NotMade } from './make.js';
import {
  shownValue,
  type AnswerFindings,
  type ApiAnswer,
  type ApiRequest,
  type Headers,
  type MadeAnswer,
  type RequestFindings,
} from './messages.js';
import { checkParameters } from './parameters.js';
import { Routes } from './routes.js';

/** An OpenAPI document that requests and answers are held to. Nothing of it is compiled before a message needs it. */
export class OpenApiContract {
  readonly operations: readonly ContractOperation[];
  readonly digest: string;
  readonly #tools: ApiTools;
  readonly #routes = new Routes<PathItem>();
  readonly #byName = new Map<string, Operation>();
  readonly #seed: number;

  /**
   * @param seed - the seed of answers that are made
   * @throws BacklotError `invalid` for what is no OpenAPI document
   */
  constructor({ file, digest }: Source, { seed }: { readonly seed: number }) {
    const { tools, bases, paths } = readApi(file);
    this.#tools = tools;
    this.#seed = seed;
    this.digest = digest;
    for (const [template, item] of paths) {
      for (const base of bases) this.#routes.add(base + template, item);
      for (const operation of item.values()) this.#byName.set(operation.name, operation);
    }
    this.operations = Array.from(this.#byName.values(), ({ name, statuses }) => ({
      name,
      answers: statuses,
    }));
  }

  /**
   * Does what checks or makes messages of the document, over several turns of the event loop where much of it is met for the first
   * time.
   *
   * @param work - may be called several times
   */
  inTurns<T>(work: () => T): T | Promise<T> {
    return this.#tools.checks.inTurns(work);
  }

  /** What is wrong with a request; HEAD is answered as GET is, where the document says nothing of it. */
  checkRequest(request: ApiRequest): RequestFindings {
    const { path, headers, body } = request;
    const route = this.#routes.find(path);
    if (route === undefined)
      return {
        status: 404,
        violations: [
          { in: 'request', path: '/path', message: 'must be a path of the contract', ...shownValue(path) },
        ],
      };
    const operation = operationFor(route.value, request.method);
    if (operation === undefined) {
      const allowed = [...route.value.keys()];
      const message = `must be ${allowed.join(' or ')} for this path`;
      return {
        status: 405,
        allowed,
        violations: [{ in: 'request', path: '/method', message, ...shownValue(request.method) }],
      };
    }
    const { name } = operation;
    this.#tools.checks.begin();
    const ofParameters = checkParameters(operation, request, route.params, this.#tools);
    const parameters = ofParameters.violations;
    const unchecked = ofParameters.isUnchecked === true ? { isUnchecked: true } : {};
    const takes = requestContents(operation, this.#tools);
    const hasBody = body !== undefined && body.length > 0;
    if (takes === undefined || takes.contents.length === 0 || (!hasBody && !takes.isRequired))
      return { operation: name, status: 400, violations: parameters, ...unchecked };
    if (!hasBody)
      return {
        operation: name,
        status: 400,
        violations: [...parameters, { in: 'request', path: '/body', message: 'must be there' }],
        ...unchecked,
      };
    const type = typeIn(headers);
    const content = contentFor(takes.contents, type);
    if (content === undefined) {
      const message = `must be ${takes.contents.map((one) => one.type).join(' or ')}`;
      return {
        operation: name,
        status: 415,
        violations: [
          ...parameters,
          { in: 'request', path: '/headers/content-type', message, ...shownValue(type) },
        ],
        ...unchecked,
      };
    }
    const { violations, isUnchecked } = checkBody(content, type, body, 'request', this.#tools);
    return {
      operation: name,
      status: parameters.length === 0 && violations.length > 0 ? 422 : 400,
      violations: [...parameters, ...violations],
      ...(isUnchecked === true ? { isUnchecked } : unchecked),
    };
  }

  /** What is wrong with an answer of an operation. @param operation - its name, as {@link checkRequest} gives it */
  checkAnswer(operation: string, answer: ApiAnswer): AnswerFindings {
    const found = this.#byName.get(operation);
    return found === undefined ? { violations: [] } : checkResponse(found, answer, this.#tools);
  }

  /**
   * Makes an answer of an operation: what `Prefer` and `Accept` ask for, else the usual one.
   *
   * @param call - which answer it is, by which those differ that are asked for by `dynamic=true`
   */
  make(operation: string, headers: Headers, call: number): MadeAnswer | NotMade | undefined {
    const found = this.#byName.get(operation);
    const making: Making = { seed: this.#seed, call };
    return found === undefined ? undefined : makeResponse(found, headers, making, this.#tools);
  }

  /**
   * The operation that a path belongs to.
   *
   * @param path - a segment of it may be `ANY`, which goes with those that may be anything
   * @returns its name; `no path` or `no method` where there is none
   */
  operationAt(method: string, path: string): { readonly name: string } | 'no path' | 'no method' {
    const route = this.#routes.find(path);
    if (route === undefined) return 'no path';
    return operationFor(route.value, method) ?? 'no method';
  }
}

function operationFor(item: PathItem, method: string): Operation | undefined {
  const name = method.toUpperCase();
  return item.get(name) ?? (name === 'HEAD' ? item.get('GET') : undefined);
}
