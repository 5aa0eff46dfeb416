import type { Metadata } from 'next';
import { defaultServer, listServers } from '../../agent/servers.ts';
import { ChatApp } from '../../chat/chat-app.tsx';
import { readEndpoint } from '../../server/endpoint.ts';

export const metadata: Metadata = { title: 'Chat' };

export default async function ChatPage() {
  const servers = await listServers(readEndpoint(process.env));
  return <ChatApp servers={servers} defaultServer={defaultServer} />;
}
