import type { Metadata } from 'next';
import { defaultServer, listServers } from '../../agent/servers.ts';
import { ChatApp } from '../../chat/chat-app.tsx';
import { readEndpoint } from '../../server/endpoint.ts';

export const metadata: Metadata = { title: 'Chat' };

export default function ChatPage() {
  return <ChatApp servers={listServers(readEndpoint(process.env))} defaultServer={defaultServer} />;
}
