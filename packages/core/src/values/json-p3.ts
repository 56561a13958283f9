/** The parts of the library json-p3 that are used; its release 2.3.0 has no declarations. */
export interface JsonP3 {
  readonly JSONPathEnvironment: new () => QueryEnvironment;
  readonly JSONPathNodeList: new (nodes: readonly QueryNode[]) => NodeList;
  readonly FunctionExpressionType: {
    readonly ValueType: unknown;
    readonly LogicalType: unknown;
    readonly NodesType: unknown;
  };
}

export interface QueryEnvironment {
  /** The functions of filters, by name. */
  readonly functionRegister: Map<string, FilterFunction>;
  compile(path: string): Query;
}

export interface FilterFunction {
  readonly argTypes: readonly unknown[];
  readonly returnType: unknown;
  call(...args: unknown[]): unknown;
}

/** A value, where it was found, and the value that was searched. */
export interface QueryNode {
  readonly value: unknown;
  readonly location: readonly (string | number)[];
  readonly root: unknown;
}

export interface NodeList {
  readonly nodes: readonly QueryNode[];
}

export interface Query {
  readonly segments: readonly Segment[];
  singularQuery(): boolean;
  lazyQuery(value: unknown): Iterable<QueryNode>;
  query(value: unknown): NodeList;
}

export interface Segment {
  readonly selectors: readonly Selector[];
  /** Goes through all that is below a node; only the segments that begin with `..` have it. */
  visit?(node: QueryNode): Iterable<QueryNode>;
}

export interface Selector {
  /** The condition of a filter. */
  readonly expression?: Expression;
  resolve(node: QueryNode): QueryNode[];
}

/** A part of a filter: the library has a class for each kind, which differ in the parts they hold. */
export interface Expression {
  readonly left?: Expression;
  readonly right?: Expression;
  readonly operator?: string;
  readonly expression?: Expression;
  readonly args?: readonly Expression[];
  readonly path?: Query;
  evaluate(context: unknown): unknown;
}
