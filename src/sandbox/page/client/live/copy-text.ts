/** Copies text to the clipboard. Throws an error with a message for the member if the browser does not allow it. */
export async function copyText(text: string): Promise<void> {
  // Without https, browsers give a page access to the clipboard only if the page comes from the same machine.
  if (!('clipboard' in navigator)) {
    throw new Error('This browser does not let the page copy. Select the text and copy it by hand.');
  }
  try {
    await navigator.clipboard.writeText(text);
  } catch (error) {
    throw new Error('The browser did not let the page copy. Select the text and copy it by hand.', {
      cause: error,
    });
  }
}
