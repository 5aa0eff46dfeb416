import { Converter, ReflectionKind } from 'typedoc';
import { entries } from './entries.mjs';

/**
 * Calls each module what users import it by.
 *
 * @param {import('typedoc').Application} app
 */
export function load({ converter }) {
  converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getChildrenByKind(ReflectionKind.Module)) {
      const file = project.getSymbolIdFromReflection(module)?.fileName;
      const entry = entries.find((one) => one.file === file);
      if (!entry) throw new Error(`no entry has its source in ${file}`);
      module.name = entry.name;
    }
  });
}
