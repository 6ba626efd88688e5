/** Links to a place of the page move the focus there, and leave the address, which is the dashboard's, as it is. */
export function setUpInnerLinks(): void {
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href^="#"]') : null;
    if (!link) return;
    event.preventDefault();
    document.getElementById(link.getAttribute('href')?.slice(1) ?? '')?.focus();
  });
}
