import type { ServerChoice } from '../agent/servers.ts';
import styles from './server-chooser.module.css';

interface ServerChooserProps {
  readonly servers: readonly ServerChoice[];
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}

/** Who answers: a real endpoint if there is one, or the pretend engine with one of its behaviours. */
export function ServerChooser({ servers, chosen, onChoose }: ServerChooserProps) {
  const groups = Map.groupBy(servers, ({ group }) => group);
  const doc = servers.find(({ id }) => id === chosen)?.doc ?? '';
  return (
    <div className={styles.chooser}>
      <label className={styles.label} htmlFor="server">
        Server
      </label>
      <select
        id="server"
        className={styles.select}
        value={chosen}
        aria-describedby="server-doc"
        onChange={(event) => onChoose(event.target.value)}
      >
        {[...groups].map(([group, choices]) => (
          <optgroup key={group} label={group}>
            {choices.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      <p id="server-doc" className={styles.doc} title={doc.replaceAll('`', '')}>
        {splitCode(doc).map(({ text, isCode }) => (isCode ? <code key={text}>{text}</code> : text))}
      </p>
    </div>
  );
}

/** The documentation marks code with backticks. */
function splitCode(text: string): readonly { readonly text: string; readonly isCode: boolean }[] {
  return text.split('`').map((piece, at) => ({ text: piece, isCode: at % 2 === 1 }));
}
