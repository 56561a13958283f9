import type { Scored } from '../data/sorted-set-value.js';
import { array, bulk, scoreReply, type Resp } from '../wire/reply.js';
import { listHead, type ItemForm } from './work.js';

/** The line before so many members, with or without their scores. */
export function scoredHead(count: number, withScores: boolean, resp: Resp): string {
  return listHead(withScores && resp === 2 ? 2 * count : count);
}

/** Members with or without their scores: in RESP3 a pair is an array of its own. */
export function scoredForm(withScores: boolean, resp: Resp): ItemForm<Scored> {
  const weigh = ({ member }: Scored): number => member.length;
  if (!withScores) return { encode: ({ member }) => bulk(member), weigh };
  if (resp === 3)
    return { encode: ({ member, score }) => array([bulk(member), scoreReply(score, resp)]), weigh };
  return { encode: ({ member, score }) => bulk(member) + scoreReply(score, resp), weigh };
}

/** A member with its score in an array of its own, whatever the version of the protocol. */
export function pairForm(resp: Resp): ItemForm<Scored> {
  return {
    encode: ({ member, score }) => array([bulk(member), scoreReply(score, resp)]),
    weigh: ({ member }) => member.length,
  };
}
