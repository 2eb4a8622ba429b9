-- Expirations are compared without min(). A function can fail, so SQLite copied each changed page before the statement, to undo
-- it alone. A store does not need that, because its whole transaction is undone.

DROP TRIGGER IF EXISTS entries_inserted;
CREATE TRIGGER entries_inserted AFTER INSERT ON entries BEGIN
    UPDATE totals SET
        entries = entries + 1, bytes = bytes + NEW.size, slack = slack + NEW.slack,
        -- A file that is taken over is not a store, and has no boot.
        stored_at = CASE WHEN NEW.boot IS NULL THEN stored_at ELSE NEW.created_at END,
        stored_boot = coalesce(NEW.boot, stored_boot), stored_uptime = coalesce(NEW.uptime, stored_uptime),
        earliest_expiry = CASE WHEN NEW.expires_at < earliest_expiry THEN NEW.expires_at ELSE earliest_expiry END;
END;
DROP TRIGGER IF EXISTS entries_replaced;
CREATE TRIGGER entries_replaced AFTER UPDATE OF token, size ON entries BEGIN
    UPDATE totals SET
        bytes = bytes - OLD.size + NEW.size, slack = slack - OLD.slack + NEW.slack, stored_at = NEW.created_at,
        stored_boot = NEW.boot, stored_uptime = NEW.uptime,
        earliest_expiry = CASE WHEN NEW.expires_at < earliest_expiry THEN NEW.expires_at ELSE earliest_expiry END;
END;
