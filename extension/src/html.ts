const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Text of a log as text of a page. */
export function escaped(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a log may hold them, a page may not
  return text.replace(/[\x00-\x08\x0b-\x1f\x7f]/g, "").replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}
