"""Emacs with eglot, in batch mode: a log opens, is diagnosed and explained, and its quick fix mends the program."""

from __future__ import annotations

from pathlib import Path

from tests.editor.editors import FIXED, case, configuration, run

SCRIPT = """
(require 'json)
(setq eglot-sync-connect t eglot-connect-timeout 60)
(defvar told nil)
(cl-defmethod eglot-handle-notification :before
  (_server (_method (eql textDocument/publishDiagnostics)) &key uri diagnostics &allow-other-keys)
  (when (and (string-suffix-p "run.log" uri) (> (length diagnostics) 0)) (setq told diagnostics)))
(find-file "run.log")
(unless (eglot-managed-p) (apply #'eglot (eglot--guess-contact)))
(let ((left 400)) (while (and (not told) (> (cl-decf left) 0)) (accept-process-output nil 0.1)))
(let* ((server (eglot-current-server))
       (document (list :uri (eglot--path-to-uri buffer-file-name)))
       (place (list :line 7 :character 12))
       (hover (jsonrpc-request server :textDocument/hover (list :textDocument document :position place)))
       (actions (jsonrpc-request server :textDocument/codeAction
                 (list :textDocument document :range (list :start place :end place) :context (list :diagnostics []))))
       (titles (mapcar (lambda (a) (plist-get a :title)) actions)))
  (mapc (lambda (a) (when (plist-get a :edit) (eglot--apply-workspace-edit (plist-get a :edit)))) actions)
  (save-some-buffers t)
  (with-temp-file "seen.json"
    (insert (json-encode
             (list (cons 'messages (mapcar (lambda (d) (plist-get d :message)) told))
                   (cons 'lines (mapcar (lambda (d) (plist-get (plist-get (plist-get d :range) :start) :line)) told))
                   (cons 'hover (plist-get (plist-get hover :contents) :value))
                   (cons 'titles (vconcat titles))))))
  (kill-emacs 0))
"""


def test_emacs_diagnoses_explains_and_mends(tmp_path: Path) -> None:
    case(tmp_path)
    (tmp_path / "config.el").write_text(configuration("emacs"), "utf-8")
    (tmp_path / "script.el").write_text(SCRIPT, "utf-8")
    seen = run("emacs", ["--batch", "-l", "config.el", "-l", "script.el"], tmp_path)
    assert seen["messages"][0].startswith("First fault: rank 1, DDP: unused parameters")
    assert seen["lines"][0] == 7
    assert "failed first: DDP" in seen["hover"]
    assert "Set find_unused_parameters=True in DistributedDataParallel(...) - train.py:4" in seen["titles"]
    assert (tmp_path / "job" / "train.py").read_text("utf-8") == FIXED
