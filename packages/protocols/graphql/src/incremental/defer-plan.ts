import {
  getDirectiveValues,
  GraphQLError,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  Kind,
  type FieldNode,
  type FragmentDefinitionNode,
  type NamedTypeNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { deferOf, streamOf } from './directives.js';

/** Selections that are looked at: fragments can lead to the same ones again and again. */
const MAX_LOOKS = 50_000;

/** A fragment that is put off, at one place of the document. */
export interface DeferUsage {
  readonly label: string | undefined;
  /** The one that it stands in. */
  readonly parent: DeferUsage | undefined;
}

/** Fields by the name under which they are answered. */
type Groups = ReadonlyMap<string, readonly FieldNode[]>;

/** How the fields of one name are delivered. */
export interface Delivery {
  /** With which fragment; `undefined` with the first result. */
  readonly with: DeferUsage | undefined;
  /** Whether that is later than the object around them. */
  readonly isLater: boolean;
  /** The fragments in which they stand, one for each of them. */
  readonly usages: readonly (DeferUsage | undefined)[];
}

/** What finding the fields depends on. */
export interface DeferScope<Type> {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Whether a fragment with this condition is for objects of a type. */
  readonly applies: (condition: NamedTypeNode | undefined, type: Type) => boolean;
}

interface Entry {
  readonly set: SelectionSetNode;
  readonly usage: DeferUsage | undefined;
}

/**
 * Which fields of an operation are delivered when. A field that is also selected outside of a fragment that is put off is
 * not; of several such fragments the first one brings it.
 */
export class DeferPlan<Type> {
  readonly #scope: DeferScope<Type>;
  readonly #deliveries = new WeakMap<readonly FieldNode[], Delivery>();
  readonly #opened = new WeakMap<Groups, readonly DeferUsage[]>();
  readonly #collected = new WeakMap<readonly FieldNode[], Map<Type, Groups>>();
  #looks = 0;

  constructor(scope: DeferScope<Type>) {
    this.#scope = scope;
  }

  /** The fields of the root. */
  root(type: Type, set: SelectionSetNode): Groups {
    return this.#collect(type, [{ set, usage: undefined }], undefined);
  }

  /** The fields of an object that fields of {@link root} or of this have led to. */
  collect(type: Type, nodes: readonly FieldNode[]): Groups {
    let byType = this.#collected.get(nodes);
    if (byType === undefined) this.#collected.set(nodes, (byType = new Map<Type, Groups>()));
    let collected = byType.get(type);
    if (collected === undefined) {
      const { usages, with: current } = this.deliveryOf(nodes);
      const entries = nodes.flatMap(({ selectionSet }, index) =>
        selectionSet === undefined ? [] : [{ set: selectionSet, usage: usages[index] }],
      );
      collected = this.#collect(type, entries, current);
      byType.set(type, collected);
    }
    return collected;
  }

  /** When fields are delivered. */
  deliveryOf(nodes: readonly FieldNode[]): Delivery {
    return this.#deliveries.get(nodes) ?? AT_ONCE;
  }

  /** The fragments that begin at an object with these fields. */
  openedBy(groups: Groups): readonly DeferUsage[] {
    return this.#opened.get(groups) ?? [];
  }

  /** What `@stream` says of a field. */
  streamOf([node]: readonly FieldNode[]): ReturnType<typeof streamOf> {
    return node && streamOf(node, this.#scope.variables);
  }

  #collect(type: Type, entries: readonly Entry[], current: DeferUsage | undefined): Groups {
    const { fragments, variables, applies } = this.#scope;
    const groups = new Map<string, FieldNode[]>();
    const usages = new Map<string, (DeferUsage | undefined)[]>();
    const opened: DeferUsage[] = [];
    const seen = new Set<string>();
    const within = new Set<string>();
    const add = (node: FieldNode, usage: DeferUsage | undefined): void => {
      const key = node.alias?.value ?? node.name.value;
      const nodes = groups.get(key);
      if (nodes === undefined) groups.set(key, [node]);
      else nodes.push(node);
      const list = usages.get(key);
      if (list === undefined) usages.set(key, [usage]);
      else list.push(usage);
    };
    const walk = (selections: readonly SelectionNode[], usage: DeferUsage | undefined): void => {
      for (const selection of selections) {
        this.#looks += 1;
        if (this.#looks > MAX_LOOKS)
          throw new GraphQLError(`the operation selects more than ${MAX_LOOKS} fields through its fragments`);
        if (isLeftOut(selection, variables)) continue;
        if (selection.kind === Kind.FIELD) {
          add(selection, usage);
          continue;
        }
        const name = selection.kind === Kind.FRAGMENT_SPREAD ? selection.name.value : undefined;
        if (name !== undefined && (seen.has(name) || within.has(name))) continue;
        const fragment =
          selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
        if (fragment === undefined || !applies(fragment.typeCondition, type)) continue;
        const deferred = deferOf(selection, variables);
        const inner = deferred === undefined ? usage : { label: deferred.label, parent: usage };
        if (deferred !== undefined && inner !== undefined) opened.push(inner);
        else if (name !== undefined) seen.add(name);
        if (name !== undefined) within.add(name);
        walk(fragment.selectionSet.selections, inner);
        if (name !== undefined) within.delete(name);
      }
    };
    for (const { set, usage } of entries) walk(set.selections, usage);
    for (const [key, nodes] of groups) this.#deliveries.set(nodes, deliver(usages.get(key) ?? [], current));
    if (opened.length > 0) this.#opened.set(groups, opened);
    return groups;
  }
}

const AT_ONCE: Delivery = { with: undefined, isLater: false, usages: [] };

function deliver(usages: readonly (DeferUsage | undefined)[], current: DeferUsage | undefined): Delivery {
  if (usages.some((usage) => usage === undefined || isWithin(current, usage)))
    return { with: current, isLater: false, usages };
  const all = new Set(usages);
  // One that stands in another one of them is delivered after it.
  const first = usages.find((usage) => usage !== undefined && !hasParentIn(usage, all));
  return { with: first, isLater: true, usages };
}

function isWithin(usage: DeferUsage | undefined, outer: DeferUsage): boolean {
  for (let each = usage; each !== undefined; each = each.parent) if (each === outer) return true;
  return false;
}

function hasParentIn({ parent }: DeferUsage, all: ReadonlySet<DeferUsage | undefined>): boolean {
  for (let each = parent; each !== undefined; each = each.parent) if (all.has(each)) return true;
  return false;
}

function isLeftOut(selection: SelectionNode, variables: Readonly<Record<string, unknown>>): boolean {
  if (selection.directives === undefined || selection.directives.length === 0) return false;
  if (getDirectiveValues(GraphQLSkipDirective, selection, variables)?.['if'] === true) return true;
  return getDirectiveValues(GraphQLIncludeDirective, selection, variables)?.['if'] === false;
}
