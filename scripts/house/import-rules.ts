import { type Import, readImports } from './imports.ts';
import { type Member, type Source, type Violation, violation } from './workspace.ts';

const SCOPE = '@kimi-tc/';

/** Which of our packages each package may import. Apps and internal tools may import any. */
const ALLOWED: Record<string, readonly string[]> = {
  core: [],
  openai: ['core'],
  'ai-sdk': ['core', 'openai'],
  langchain: ['core', 'openai'],
  gateway: ['core', 'openai'],
  testing: [],
};

/** Stations of core's flow. They stand on `grammar` and never on each other. */
const STATIONS = ['grammar', 'parse', 'request', 'prompt', 'constrain'];

/** Files of core that lend one station what another has. They stand beside the front door: no station sees them. */
const JOINTS = ['normalize.ts'];

/** SDKs that the user brings: a second copy of one breaks `instanceof` and type identity. */
const HOSTS = ['ai', 'openai', 'langchain', '@langchain/core'];

export function checkImports(member: Member): Violation[] {
  return member.sources.flatMap((source) =>
    readImports(source).flatMap((found) => {
      const report = (rule: string, message: string): Violation[] => [
        violation(rule, source, found.node, `imports '${found.specifier}': ${message}`),
      ];
      if (found.target?.startsWith('..')) return report('own-folder', 'a relative import stays inside src/');
      if (member.kind !== 'packages') return [];
      return (
        checkPackageImport(member, source, found, report) ??
        checkOwnIndex(member, source, found, report) ??
        (member.name === 'core' && !source.isTest ? checkCoreImport(source, found, report) : [])
      );
    }),
  );
}

export function checkHostDependencies(member: Member): Violation[] {
  if (member.kind !== 'packages') return [];
  return HOSTS.filter((host) => host in (member.manifest.dependencies ?? {})).map((host) => ({
    rule: 'hosts-are-peers',
    file: `${member.folder}/package.json`,
    line: 1,
    message: `dependencies name '${host}': a host SDK is a peer dependency`,
  }));
}

type Report = (rule: string, message: string) => Violation[];

function checkPackageImport(
  member: Member,
  source: Source,
  found: Import,
  report: Report,
): Violation[] | undefined {
  const other = packageOf(found.specifier);
  if (other === undefined || other === member.name) return undefined;
  const allowed = ALLOWED[member.name] ?? [];
  if (allowed.includes(other)) return [];
  if (other === 'testing' && source.isTest) return [];
  if (member.name === 'testing' && found.typeOnly && other in ALLOWED) return [];
  const may = allowed.map((name) => SCOPE + name).join(', ') || 'no other package';
  return report('package-imports', `${SCOPE}${member.name} may import ${may}`);
}

/** Tests are exempt: a test of what users see goes through the front door. */
function checkOwnIndex(
  member: Member,
  source: Source,
  found: Import,
  report: Report,
): Violation[] | undefined {
  const ownIndex = found.target === 'index.ts' || packageOf(found.specifier) === member.name;
  if (!ownIndex || source.isTest) return undefined;
  return report('own-index', 'a package reaches its own files, not its front door');
}

function checkCoreImport(source: Source, found: Import, report: Report): Violation[] {
  if (found.target === undefined) return report('core-is-bare', 'core imports nothing but its own files');
  const from = stationOf(source.path);
  const to = stationOf(found.target);
  if (source.path === 'index.ts' || JOINTS.includes(source.path)) return [];
  if (JOINTS.includes(found.target))
    return report('core-stations', 'what joins stations is for the front door alone');
  if (to === undefined || to === from) return [];
  if (from === undefined)
    return report('core-stations', 'a file shared by all stations stands on none of them');
  if (from !== 'grammar' && to === 'grammar') return [];
  return report(
    'core-stations',
    `${from}/ may import ${from === 'grammar' ? 'no other folder' : 'grammar/'}`,
  );
}

function packageOf(specifier: string): string | undefined {
  return specifier.startsWith(SCOPE) ? specifier.slice(SCOPE.length).split('/')[0] : undefined;
}

function stationOf(path: string): string | undefined {
  const folder = path.split('/')[0] ?? '';
  return STATIONS.includes(folder) ? folder : undefined;
}
