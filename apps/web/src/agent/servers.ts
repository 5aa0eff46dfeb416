import type { Behaviour, BehaviourName } from '@kimi-tc/testing';
import type { Endpoint } from '../server/endpoint.ts';
import { loadTesting } from '../server/load-testing.ts';

/** A server that a conversation can be held with, as the chooser shows it. */
export interface ServerChoice {
  /** `endpoint`, or the name of a behaviour of the pretend engine. */
  readonly id: string;
  readonly name: string;
  readonly doc: string;
  readonly group: string;
}

/** Raw tokens in the content: what a server does that does not know the model's format. */
export const defaultServer: BehaviourName = 'raw-content';

export const endpointId = 'endpoint';

/** All servers, the default first among its group. */
export async function listServers(endpoint: Endpoint | undefined): Promise<readonly ServerChoice[]> {
  const { behaviours } = await loadTesting();
  const pretend = Object.entries(behaviours).map(([id, behaviour]) => ({
    id,
    name: id,
    doc: behaviour.doc,
    group: toGroup(behaviour),
  }));
  pretend.sort((a, b) => Number(b.id === defaultServer) - Number(a.id === defaultServer));
  if (!endpoint) return pretend;
  const { host } = new URL(endpoint.baseURL);
  return [
    { id: endpointId, name: `${endpoint.model} at ${host}`, doc: 'A real endpoint.', group: 'Endpoint' },
    ...pretend,
  ];
}

/** By the station of an answer that the row changes. */
function toGroup({ treat, editText, editReply, editChunks, wire, failure, refuse }: Behaviour): string {
  if (treat) return 'What the server makes of the text';
  if (editText) return 'Faults of the text';
  if (editReply) return 'Faults of the reply';
  if (editChunks) return 'Faults of the chunks';
  if (wire) return 'The wire';
  if (failure) return 'Failures';
  if (refuse) return 'Rules for requests';
  return 'Others';
}
