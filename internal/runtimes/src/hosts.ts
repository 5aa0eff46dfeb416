import { fetchRuntime } from './fetch-runtime.ts';
import { runInChromium } from './hosts/chromium.ts';
import { runInEdgeVm } from './hosts/edge-vm.ts';
import type { Host } from './hosts/host.ts';
import { createProcessHost } from './hosts/process-host.ts';
import { runInWorkerd } from './hosts/workerd.ts';

const arch = process.arch === 'arm64' ? 'arm64' : 'x64';

function createNodeHost(version: string): Host {
  const binary = (): string => fetchRuntime(`node-linux-${arch}@${version}`, 'bin/node');
  return createProcessHost(`node ${version}`, binary, []);
}

/** The lowest Node.js that is supported, the long-term ones and the newest; and everything else. */
export const hosts: readonly Host[] = [
  createNodeHost('22.19.0'),
  createNodeHost('24.22.3'),
  createNodeHost('26.12.1'),
  createProcessHost(
    'bun',
    () => fetchRuntime(`@oven/bun-linux-${arch === 'arm64' ? 'aarch64' : arch}@1.4.5`, 'bin/bun'),
    ['run'],
  ),
  createProcessHost('deno', () => fetchRuntime(`@deno/linux-${arch}-glibc@2.9.6`, 'deno'), [
    'run',
    '--no-prompt',
    '--allow-net=127.0.0.1',
    '--allow-read',
    '--allow-env',
    '--allow-sys=hostname',
  ]),
  { name: 'workerd', run: runInWorkerd },
  { name: 'edge', run: runInEdgeVm },
  { name: 'chromium', run: runInChromium },
];
